import { valueAt } from '../json/members.js';
import type { Event } from './event.js';
import { isTimestamp, timestampMs } from './timestamp.js';

/**
 * When an event happened, in milliseconds since 1970: its `timestamp`, or its `originalTimestamp` if it
 * has none. Undefined without either.
 */
export function eventTimeMs({ value }: Pick<Event, 'value'>): number | undefined {
  return timestampMs('timestamp' in value ? value.timestamp : value.originalTimestamp);
}

/** The text of a valid `originalTimestamp`: the time of an event that has no `timestamp`. */
export function originalTimestamp(event: Event): string | undefined {
  const member = event.find('originalTimestamp');
  const text = member && valueAt(event.bytes, member);
  return isTimestamp(text) ? (text as string) : undefined;
}
