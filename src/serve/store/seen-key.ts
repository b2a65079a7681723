import { hash } from 'node:crypto';

/**
 * The key of a messageId of a source at a destination: 96 bits of a hash, one character per byte.
 * Among a billion ids, the probability of a collision is 1 in 10^11.
 */
export function seenKey(source: number, destination: number, messageId: string): string {
  const scope = `${source}:${destination}`;
  // All lone surrogates are equal in UTF-8; JSON distinguishes them.
  const text = loneSurrogate.test(messageId)
    ? `\0${scope}\0${JSON.stringify(messageId)}`
    : `${scope}\0${messageId}`;
  return hash('sha1', text, 'binary').slice(0, seenKeyBytes);
}

export const seenKeyBytes = 12;

/** A key of `seenKey` as its bytes. */
export function bytesOfSeenKey(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}

const loneSurrogate = /\p{Surrogate}/u;
