/** Longer texts are more likely keys than mistyped words. */
const maxLength = 30;

/** A flag, `name=value`, a URL with a query or a password, `Name: value`; but not a time with its colons. */
const secretLike = /^[-–—]|[=?@&]|(?<!\d):|:(?!\d)/;

/**
 * Whether an error message may repeat a value of the user: not if it may contain a secret, like a flag
 * with its value, a header, a URL, or a long text.
 */
export function isQuotable(text: string): boolean {
  return text.length <= maxLength && !secretLike.test(text);
}

/** The value in quotes, or `instead` if it may contain a secret. */
export function quoted(text: string, instead: string): string {
  return isQuotable(text) ? `"${text}"` : instead;
}
