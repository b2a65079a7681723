import { createHash } from 'node:crypto';
import { sortedHeaders } from '../../config/target-identity.js';
import type { StaticHeaders } from '../../webhook/endpoint.js';

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

/** One check value of all header values of a URL, whatever the order of the names; null without headers. */
export function headersCheck(headers: StaticHeaders | undefined): string | null {
  const sorted = sortedHeaders(headers);
  return sorted.length === 0 ? null : checkValue(JSON.stringify(sorted));
}

/** The check value of a URL's query (`?` included); null without one. */
export function queryCheck(url: string): string | null {
  const { search } = new URL(url);
  return search === '' ? null : checkValue(search);
}
