import type { Event, Item, Origin, Problem } from '../events/event.js';
import { parseEvent, parseLine } from '../events/parse.js';
import { noted, type EventNotes } from '../events/text-event.js';

/** What the lines of a run's files are, to read them again and to write dead letters of them. */
export interface ItemKind<T extends Item = Item> {
  /** The member of a dead letter that has the text of the item. */
  readonly deadLetterMember: 'event' | 'request';
  /** Reads a line of a file. */
  parseLine(bytes: Buffer, origin: Origin): T;
  /** Reads the text of an item, which may have been inside of its line. */
  parseText(bytes: Buffer, origin: Origin): T;
  /** The same item with what was stored of it. */
  withNotes(item: Event, notes: EventNotes): Event;
}

/** Each line is one item. */
export type SingleItemKind = ItemKind<Event | Problem>;

/** The lines of `import`: events. */
export const eventItems: SingleItemKind = {
  deadLetterMember: 'event',
  parseLine,
  parseText: parseEvent,
  withNotes: noted,
};

/** The lines of `import` where events are made of them. */
export function recordItems(parse: ItemKind['parseLine']): ItemKind {
  return { ...eventItems, parseLine: parse, parseText: parse };
}
