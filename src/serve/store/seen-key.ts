import { hash } from 'node:crypto';

/**
 * What is kept of a messageId of a source at a destination: 96 bits of a hash, one character a byte.
 * With a billion of them, two that differ are the same with a probability of 1 in 10^11.
 */
export function seenKey(source: number, destination: number, messageId: string): string {
  return keyOf(`${source}:${destination}`, messageId);
}

/** The same for a source alone, as it was kept before version 4 of the state. */
export function sourceSeenKey(source: number, messageId: string): string {
  return keyOf(String(source), messageId);
}

export const seenKeyBytes = 12;

/** All lone surrogates are the same in UTF-8; JSON tells them apart. */
function keyOf(nameTable: string, messageId: string): string {
  const text = loneSurrogate.test(messageId)
    ? `\0${nameTable}\0${JSON.stringify(messageId)}`
    : `${nameTable}\0${messageId}`;
  return hash('sha1', text, 'binary').slice(0, seenKeyBytes);
}

const loneSurrogate = /\p{Surrogate}/u;
