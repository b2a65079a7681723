const durationForm = /^(\d{1,100}(?:\.\d{1,100})?)(ms|s|m|h|d)$/;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The form of a duration, for the messages of flags and of the configuration file. */
export const durationHint = 'use a unit, e.g. 300ms, 5s, 2m or 4h';

/**
 * `300ms`, `5s`, `2m`, `4h`, `1d` → milliseconds; anything else is `undefined`. A bare number is not
 * valid: its unit is unknown.
 */
export function durationMs(text: string): number | undefined {
  const [, number, unit = ''] = durationForm.exec(text) ?? [];
  const duration = Number(number) * unitMs[unit]!;
  return duration <= Number.MAX_SAFE_INTEGER ? duration : undefined;
}

/** Milliseconds with at most three decimals: nobody measured what is smaller. */
export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

const units: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
  [1, 'ms'],
];

/**
 * `1 d 2 h`, `5 min`, `800 ms`: the two largest units of a duration that is not negative, without what is
 * smaller.
 *
 * @param parts how many units, in place of two
 */
export function durationInWords(ms: number, parts = 2): string {
  const start = units.findIndex(([size]) => ms >= size);
  if (start < 0) return `${ms} ms`;
  let rest = ms;
  const counts = units.slice(start, start + parts).map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return [count, unit] as const;
  });
  return counts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
