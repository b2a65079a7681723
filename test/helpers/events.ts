import { isProblem, type Event, type Origin, type Problem } from '../../src/events/event.js';
import { parseLine } from '../../src/events/parse.js';

export type Item = Event | Problem;

/** An origin for events that are not read from a file. */
export function place(origin: Partial<Origin> = {}): Origin {
  return { file: 'events.ndjson', line: 1, offset: 0, length: 0, ...origin };
}

/** The result of reading a line. */
export function itemOf(line: string | Buffer, origin: Partial<Origin> = {}): Item {
  return parseLine(Buffer.from(line), place(origin));
}

/** An event from its text, or from members that are added to a valid track call. */
export function eventOf(
  given: string | Buffer | Record<string, unknown> = {},
  origin: Partial<Origin> = {},
): Event {
  const isText = typeof given === 'string' || Buffer.isBuffer(given);
  const item = itemOf(isText ? given : JSON.stringify({ ...track, ...given }), origin);
  if (isProblem(item)) throw new Error(`${item.code}: ${item.message}`);
  return item;
}

/** A minimal track call. */
export const track = { type: 'track', userId: 'u1', event: 'Opened' };

/** The text of a track call with a JSON text, unchanged, as its property `v`. */
export function trackWith(json: string): string {
  return `{"type":"track","userId":"u1","event":"Opened","properties":{"v":${json}}}`;
}

/** The code of the rule that is broken; undefined for an event. */
export function codeOf(item: Item): string | undefined {
  return isProblem(item) ? item.code : undefined;
}
