import { hash } from 'node:crypto';

/**
 * What is kept of a messageId of a source: 96 bits of a hash, one character a byte. With a billion of
 * them, two that differ are the same with a probability of 1 in 10^11.
 */
export function seenKey(source: number, messageId: string): string {
  return hash('sha1', textOf(source, messageId), 'binary').slice(0, seenKeyBytes);
}

export const seenKeyBytes = 12;

/** All lone surrogates are the same in UTF-8; JSON tells them apart. */
function textOf(source: number, messageId: string): string {
  if (!loneSurrogate.test(messageId)) return `${source}\0${messageId}`;
  return `\0${source}\0${JSON.stringify(messageId)}`;
}

const loneSurrogate = /\p{Surrogate}/u;
