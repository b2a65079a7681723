import ms from 'ms';

const durationForm = /^\d+(\.\d+)?(ms|s|m|h|d)$/;

/** The form of a duration, for the messages of flags and of the configuration file. */
export const durationHint = 'use a unit, e.g. 300ms, 5s, 2m or 4h';

/** `ms` throws for longer texts. */
const maxLength = 100;

/**
 * `300ms`, `5s`, `2m`, `4h`, `1d` → milliseconds; anything else is `undefined`. A bare number is not
 * valid: its unit is unknown.
 */
export function durationMs(text: string): number | undefined {
  if (text.length > maxLength || !durationForm.test(text)) return undefined;
  const duration = ms(text as ms.StringValue);
  return duration <= Number.MAX_SAFE_INTEGER ? duration : undefined;
}
