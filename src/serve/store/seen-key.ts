import { hash } from 'node:crypto';

/**
 * What is kept of a messageId of a source: 96 bits of a hash, one character a byte. With a billion of
 * them, two that differ are the same with a probability of 1 in 10^11.
 */
export function seenKey(source: number, messageId: string): string {
  return hash('sha1', `${source}\0${messageId}`, 'binary').slice(0, seenKeyBytes);
}

export const seenKeyBytes = 12;
