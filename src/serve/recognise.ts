import type { Event } from '../events/event.js';

/** What a person recognises an event by. */
export interface Recognised {
  /** `track`, `identify`, …, `delete`. */
  readonly type: string;
  /** Of the event (track), the page or screen, or the id of the group. */
  readonly name: string | null;
  /** The userId, else the anonymousId. */
  readonly user: string | null;
}

/** Longer texts of an event are cut in lists. */
const longest = 200;

/** Type, name and user of an event, of what it was judged by. */
export function recognise(value: Event['value']): Recognised {
  const { type, event, name, groupId, userId, anonymousId } = value;
  const named = { track: event, page: name, screen: name, group: groupId }[String(type)];
  return { type: String(type), name: shown(named), user: shown(userId) ?? shown(anonymousId) };
}

function shown(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : null;
}
