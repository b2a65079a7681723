/** The nearest-rank percentile of at least one number. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!;
}

/** `850 ms`, `1.3 s`. */
export function msText(ms: number): string {
  const whole = Math.round(ms);
  return whole < 1_000 ? `${whole} ms` : `${Math.round(ms / 100) / 10} s`;
}

/** `1 event`, `27 events`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `20/s`, `0.9/s`. */
export function rateText(perSecond: number): string {
  return `${Math.round(perSecond * 10) / 10}/s`;
}
