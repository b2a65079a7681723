import { hash } from 'node:crypto';
import type { Event } from '../../events/event.js';
import { valueAt } from '../../json/members.js';

/** Of a key, in bytes: among a million users, two have the same one with a probability of 1 in 10^26. */
export const userKeyBytes = 16;

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

function keyOf(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 2 * userKeyBytes);
}

function idOf(event: Event, name: 'userId' | 'anonymousId'): string | undefined {
  const member = event.find(name);
  const value = member && valueAt(event.bytes, member);
  // The digits as they came: a number beyond 2^53 would be that of another user, too.
  if (typeof value === 'number') return event.bytes.toString('utf8', member!.start, member!.end);
  return typeof value === 'string' && !isBlank.test(value) ? value : undefined;
}
