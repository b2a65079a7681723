/** Digits in groups of three. `toLocaleString` would take 15 ms to load its tables. */
export function count(value: number): string {
  return String(Number(value.toFixed(3))).replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',');
}

/** `1 line`, `2,000 lines`. */
export function countOf(value: number, one: string, several = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : several}`;
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** `0.05 ms`, `7.91 ms`, `31.0 ms`, `310 ms`, `5.01 s`, `2 min 5 s`; `–` for none. */
export function msText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 999.5) return `${threeDigits(ms)} ms`;
  return ms < 59_950 ? `${threeDigits(ms / 1_000)} s` : durationText(ms / 1_000);
}

/** Three digits, but at most two decimals, so that small values do not show digits that nobody measured. */
function threeDigits(value: number): string {
  if (value < 9.995) return value.toFixed(2);
  return value.toFixed(value < 99.95 ? 1 : 0);
}

/** `98.4%`. Only all is 100%, and only nothing is 0%. */
export function percentText(share: number): string {
  if (share > 0 && share < 0.001) return '<0.1%';
  if (share < 1 && share > 0.999) return '>99.9%';
  return `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)}%`;
}
