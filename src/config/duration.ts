import ms from 'ms';

const durationForm = /^\d+(\.\d+)?(ms|s|m|h|d)$/;

/** What a duration looks like, for the messages of flags and of the configuration file. */
export const durationHint = 'write it with a unit, like 300ms, 5s, 2m or 4h';

/** Longer texts are refused by `ms`, and no duration needs them. */
const longestText = 100;

/**
 * `300ms`, `5s`, `2m`, `4h`, `1d` → milliseconds; anything else is `undefined`. A bare number is
 * no duration: its unit is anyone's guess.
 */
export function durationMs(text: string): number | undefined {
  if (text.length > longestText || !durationForm.test(text)) return undefined;
  const duration = ms(text as ms.StringValue);
  return duration <= Number.MAX_SAFE_INTEGER ? duration : undefined;
}
