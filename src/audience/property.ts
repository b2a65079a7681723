const lowerToUpper = /(?<=\p{Ll})(?=[\p{Lu}\p{Lt}])/gu;
/** A combining mark belongs to the letter before it. */
const word = /[\p{L}\p{Nd}][\p{L}\p{Nd}\p{M}]*/gu;

/**
 * The trait for an audience name: `High Value Users` → `high_value_users`. Words are separated by
 * anything but letters and digits, and by a change from lower to upper case; letters of any script are
 * kept. Empty for a name without letters and digits.
 */
export function propertyOf(name: string): string {
  const words = name.normalize('NFC').replace(lowerToUpper, ' ').match(word) ?? [];
  return words.join('_').toLowerCase();
}
