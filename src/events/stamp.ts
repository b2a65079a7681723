import { createHash, randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Event } from './event.js';
import { originalTimestamp } from './event-time.js';
import { valueAt } from '../json/members.js';
import { isGiven } from './rules.js';

/** What evfwd adds to an event that lacks it; the event's own text stays unchanged. */
export interface Stamp {
  /** The id that is sent, for logs and outcomes. */
  readonly messageId: string;
  /** False if the event already has this `messageId`. */
  readonly writesMessageId: boolean;
  /** Set if the event has no timestamp: its `originalTimestamp`, else now in UTC with milliseconds. */
  readonly timestamp?: string;
  /** The replay of kept events that it belongs to, which a header names; absent: none. */
  readonly replay?: string;
}

/** `keep` the event's own id where it has one, make `new` ones, or `derive` all from the text. */
export type IdPolicy = 'keep' | 'new' | 'derive';

export interface StampOptions {
  readonly ids: IdPolicy;
  /** `new` ids are made from it and the event's location: the same seed yields the same ids. */
  readonly seed: string;
  /** Milliseconds since 1970, for events without a timestamp. */
  readonly now: number;
}

/** Decides the messageId and the timestamp that an event is sent with. */
export function stampEvent(event: Event, options: StampOptions): Stamp {
  const own = idOf(event);
  return stamped(event, chooseMessageId(event, own, options), own, options.now);
}

function stamped(event: Event, messageId: string, own: string | undefined, now: number): Stamp {
  const writesMessageId = messageId !== own;
  if (event.find('timestamp')) return { messageId, writesMessageId };
  const timestamp = originalTimestamp(event) ?? new Date(now).toISOString();
  return { messageId, writesMessageId, timestamp };
}

/** The same for an event that is created now: without an id it gets a random one. */
export function stampFresh(event: Event, now: number): Stamp {
  const own = idOf(event);
  return stamped(event, event.givenId ?? own ?? randomUUID(), own, now);
}

/** The messageId of a call, if it has one. */
export function ownMessageId(value: Readonly<Record<string, unknown>>): string | undefined {
  return idText(value.messageId);
}

function idOf(event: Event): string | undefined {
  const member = event.find('messageId');
  return member && idText(valueAt(event.bytes, member));
}

function idText(id: unknown): string | undefined {
  return isGiven(id) ? String(id) : undefined;
}

function chooseMessageId(event: Event, own: string | undefined, options: StampOptions): string {
  if (options.ids === 'new') return derivedId(event, options.seed);
  // An earlier run has sent this event under that id: the receiver must recognize it.
  if (event.givenId !== undefined) return event.givenId;
  return options.ids === 'keep' && own !== undefined ? own : derivedId(event, '');
}

/** From the event's bytes, its offset and the file's base name: the same on every machine. */
function derivedId(event: Event, seed: string): string {
  const { file, offset } = event.origin;
  const hash = createHash('sha256');
  hash.update(`${seed}\0${basename(file)}\0${offset}\0${event.part ?? 0}\0`);
  hash.update(event.bytes);
  return `evfwd-${hash.digest('hex').slice(0, 32)}`;
}
