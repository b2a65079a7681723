import { createHash } from 'node:crypto';

/**
 * The first 16 bits of a value's SHA-256, as 4 hex digits: enough to recognize a wrong secret, and too
 * little to guess it from.
 */
export function checkValue(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 4);
}

/** The check value of a URL's query (`?` included); null without one. */
export function queryCheck(url: string): string | null {
  const { search } = new URL(url);
  return search === '' ? null : checkValue(search);
}
