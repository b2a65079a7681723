/** Longer texts are rather keys than slips of a word. */
const longest = 30;

/** A flag, `name=value`, a URL with a query or a password, `Name: value`; a time has colons, too. */
const secretLike = /^[-–—]|[=?@&]|(?<!\d):|:(?!\d)/;

/**
 * Whether an error message may repeat a value that somebody gave: not where it may hold a secret, like
 * a flag with its value, a header, a URL, or a long text.
 */
export function isQuotable(text: string): boolean {
  return text.length <= longest && !secretLike.test(text);
}

/** The value in quotes, or `instead` where it may hold a secret. */
export function quoted(text: string, instead: string): string {
  return isQuotable(text) ? `"${text}"` : instead;
}
