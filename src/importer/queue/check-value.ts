import { createHash } from 'node:crypto';

/**
 * The first 16 bits of a value's SHA-256, as 4 hex digits: enough to recognize a wrong secret, and too
 * little to guess it from.
 */
export function checkValue(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 4);
}

/** One check value of all secrets, in their order: still 16 bits, however many there are. */
export function secretsCheck(secrets: readonly (string | Uint8Array)[]): string {
  const [only] = secrets;
  if (only !== undefined && secrets.length === 1) return checkValue(only);
  const sums = secrets.map((secret) => createHash('sha256').update(secret).digest());
  return checkValue(Buffer.concat(sums));
}

/** The check value of a URL's query (`?` included); null without one. */
export function queryCheck(url: string): string | null {
  const { search } = new URL(url);
  return search === '' ? null : checkValue(search);
}
