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
