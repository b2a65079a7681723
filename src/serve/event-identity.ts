import type { Event, EventType } from '../events/event.js';
import type { KnownName } from '../json/known-names.js';
import { valueAt } from '../json/members.js';
import { pathWithoutQuery } from '../receive/rules/path-pattern.js';
import { isRaw, rawOf } from './raw/raw-request.js';

/** What identifies an event to a person. */
export interface EventIdentity {
  /** `track`, `identify`, …, `delete`; of a request its method. */
  readonly type: string;
  /** Name of the event (track), page or screen; for a group its id; of a request its path, without its query. */
  readonly name: string | null;
  /** The userId, else the anonymousId. */
  readonly user: string | null;
}

/** Longer texts are truncated in lists. */
const maxLength = 200;

/** The member that holds the name of an event, by its type. */
const nameOf: Partial<Record<EventType, KnownName>> = {
  track: 'event',
  page: 'name',
  screen: 'name',
  group: 'groupId',
};

export function identityOf(event: Event): EventIdentity {
  if (isRaw(event)) {
    const { method, path } = rawOf(event).head;
    return { type: method, name: pathWithoutQuery(path).slice(0, maxLength), user: null };
  }
  const { type } = event;
  const name = nameOf[type];
  const user = shown(event, 'userId') ?? shown(event, 'anonymousId');
  return { type, name: name ? shown(event, name) : null, user };
}

function shown(event: Event, name: KnownName): string | null {
  const member = event.find(name);
  const value = member && valueAt(event.bytes, member);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : null;
}
