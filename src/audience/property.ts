const lowerToUpper = /(?<=\p{Ll})(?=[\p{Lu}\p{Lt}])/gu;
/** A mark belongs to the letter before it. */
const word = /[\p{L}\p{Nd}][\p{L}\p{Nd}\p{M}]*/gu;

/**
 * The trait that a name stands for: `High Value Users` → `high_value_users`. Words end at anything that
 * is not a letter or digit, and where an upper-case letter follows a lower-case one; letters of any
 * script are kept. Empty for a name without letters and digits.
 */
export function propertyOf(name: string): string {
  const words = name.normalize('NFC').replace(lowerToUpper, ' ').match(word) ?? [];
  return words.join('_').toLowerCase();
}
