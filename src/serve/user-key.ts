import { hash } from 'node:crypto';
import type { Event } from '../events/event.js';
import { valueAt } from '../json/members.js';

/** The length of a key: among a million users, two have the same one with a probability of 1 in 10^26. */
const keyLength = 16;

const isBlank = /^\s*$/;

/**
 * Whose event it is, as the first bytes of a hash in hex: the userId, else the anonymousId, which is never the same as a
 * userId. Undefined for an event with neither. A number and the text of that number are the same user.
 */
export function userKeyOf(event: Event): string | undefined {
  const user = idOf(event, 'userId');
  if (user !== undefined) return keyOf(`user\0${user}`);
  const anonymous = idOf(event, 'anonymousId');
  return anonymous === undefined ? undefined : keyOf(`anonymous\0${anonymous}`);
}

/** A key of `userKeyOf` as its bytes. */
export function userKeyBytes(key: string): Buffer {
  return Buffer.from(key, 'hex');
}

/** The first four bytes of a key of `userKeyOf`, by which blocks of kept events are found; 0 for none. */
export function userHash(key: string | undefined): number {
  return key === undefined ? 0 : parseInt(key.slice(0, 8), 16);
}

function keyOf(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 2 * keyLength);
}

function idOf(event: Event, name: 'userId' | 'anonymousId'): string | undefined {
  const member = event.find(name);
  const value = member && valueAt(event.bytes, member);
  // The digits as they came: a number beyond 2^53 would be that of another user, too.
  if (typeof value === 'number') return event.bytes.toString('utf8', member!.start, member!.end);
  return typeof value === 'string' && !isBlank.test(value) ? value : undefined;
}
