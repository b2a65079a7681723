import type { Event, EventType } from '../events/event.js';
import type { KnownName } from '../json/known-names.js';
import { valueAt } from '../json/members.js';

/** What a person recognises an event by. */
export interface EventIdentity {
  /** `track`, `identify`, …, `delete`. */
  readonly type: string;
  /** Of the event (track), the page or screen, or the id of the group. */
  readonly name: string | null;
  /** The userId, else the anonymousId. */
  readonly user: string | null;
}

/** Longer texts of an event are cut in lists. */
const longest = 200;

/** What the name of an event is, by its type. */
const nameOf: Partial<Record<EventType, KnownName>> = {
  track: 'event',
  page: 'name',
  screen: 'name',
  group: 'groupId',
};

/** Type, name and user of an event. */
export function identityOf(event: Event): EventIdentity {
  const { type } = event;
  const name = nameOf[type];
  const user = shown(event, 'userId') ?? shown(event, 'anonymousId');
  return { type, name: name ? shown(event, name) : null, user };
}

function shown(event: Event, name: KnownName): string | null {
  const member = event.find(name);
  const value = member && valueAt(event.bytes, member);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : null;
}
