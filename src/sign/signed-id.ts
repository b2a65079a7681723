import { createHash } from 'node:crypto';
import type { Scheme } from './schemes/scheme.js';

/**
 * The id that a scheme sends for a messageId: the messageId itself, unless a header cannot carry it or
 * it has a `.` where the scheme joins with one. Then it is `msg_` and the first 32 hex digits of
 * its SHA-256, the same each time.
 */
export function signedId(id: string, scheme: Scheme): string {
  if (!scheme.id || fits(id, joinsWithDot(scheme))) return id;
  // UTF-8 has no lone surrogates, so different ones would become the same.
  const text = /\p{Surrogate}/u.test(id) ? JSON.stringify(id) : id;
  return `msg_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

function fits(id: string, isDotRefused: boolean): boolean {
  return /^[\x21-\x7e]+$/.test(id) && !(isDotRefused && id.includes('.'));
}

/** With a dot in the id, two ids and times could have the same signed text. */
function joinsWithDot({ content }: Scheme): boolean {
  return content.includes('{id}.') || content.includes('.{id}');
}
