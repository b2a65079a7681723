const units: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
];

/** In one unit: `45 s`, `3 min`, `2 h`, `5 d`. */
export function ageText(ms: number): string {
  const [name, size] = units.find(([, least]) => ms >= least) ?? ['s', 1_000];
  return `${Math.floor(Math.max(0, ms) / size)} ${name}`;
}
