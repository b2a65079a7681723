import type { Event } from '../../events/event.js';
import { compactEvent } from '../../events/text-event.js';
import type { Stamp } from '../../events/stamp.js';
import type { Row } from '../../storage/sqlite.js';
import { eventOf, type StoredEvent } from './stored.js';

/** An event that is to be queued. */
export interface NewEvent {
  /** Number of the source. */
  readonly source: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly event: Event;
  readonly stamp: Stamp;
}

/** An event as it was read from its block. */
export interface BlockEvent {
  readonly id: number;
  /** Number of the source. */
  readonly source: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly queuedAt: number;
  readonly stamp: Stamp;
  readonly bytes: Buffer;
}

/** The columns of a block: the texts of its events, one after the other, and what else is known of them. */
export interface BlockColumns {
  /** JSON: an `Entry` for each event. */
  readonly entries: string;
  readonly bytes: Buffer;
}

type Entry = readonly [
  /** Of its JSON text, in bytes. */
  length: number,
  source: number,
  receivedAt: number,
  messageId: string,
  writesMessageId: 0 | 1,
  timestamp: string | null,
  /** Absent: of none. */
  replay?: string,
];

/** The columns of a block with these events, in their order. */
export function blockOf(events: readonly NewEvent[]): BlockColumns {
  return {
    entries: JSON.stringify(events.map(entryOf)),
    bytes: Buffer.concat(events.map(({ event }) => event.bytes)),
  };
}

function entryOf({ source, receivedAt, event, stamp }: NewEvent): Entry {
  const { messageId, writesMessageId, timestamp = null, replay } = stamp;
  const known = [event.bytes.length, source, receivedAt, messageId] as const;
  const added = [writesMessageId ? 1 : 0, timestamp] as const;
  return replay === undefined ? [...known, ...added] : [...known, ...added, replay];
}

/** What is known of an event of a block besides its text, and where that is in the bytes of the block. */
export interface BlockPart extends Omit<BlockEvent, 'bytes'> {
  readonly start: number;
  readonly length: number;
}

/** The events of a row of `event_block`, in order. @throws Error if it is damaged */
export function eventsOfBlock(row: Row): BlockEvent[] {
  const bytes = bytesOf(row);
  return partsOfBlock(row, bytes.length).map((part) => eventOfPart(part, bytes));
}

/**
 * The same without their texts. `byteLength` is the length of the column `bytes`, which need not be read for this.
 * @throws Error if it is damaged
 */
export function partsOfBlock(
  { last_id, queued_at, entries }: Row,
  byteLength: number,
): BlockPart[] {
  const list = JSON.parse(entries as string) as unknown[];
  if (!list.every(isEntry)) throw new Error('the entries of a block are damaged');
  const firstId = Number(last_id) - list.length + 1;
  const length = list.reduce((sum, [ofEvent]) => sum + ofEvent, 0);
  if (length !== byteLength || typeof queued_at !== 'number') throw new Error('a block is damaged');
  let end = 0;
  return list.map((entry, index) => {
    const [length, source, receivedAt] = entry;
    const start = end;
    end += length;
    const id = firstId + index;
    return { id, source, receivedAt, queuedAt: queued_at, stamp: stampOf(entry), start, length };
  });
}

function stampOf([, , , messageId, writes, timestamp, replay]: Entry): Stamp {
  const writesMessageId = writes === 1;
  // Without spreading: this is done for each event.
  if (timestamp === null)
    return replay === undefined
      ? { messageId, writesMessageId }
      : { messageId, writesMessageId, replay };
  return replay === undefined
    ? { messageId, writesMessageId, timestamp }
    : { messageId, writesMessageId, timestamp, replay };
}

/** `block` has the bytes of the block from offset `from` on (default: all). The event is a view of them, not a copy. */
export function eventOfPart(
  { id, source, receivedAt, queuedAt, stamp, start, length }: BlockPart,
  block: Buffer,
  from = 0,
): BlockEvent {
  const bytes = block.subarray(start - from, start - from + length);
  return { id, source, receivedAt, queuedAt, stamp, bytes };
}

/** The column `bytes` as a buffer, not copied. */
export function bytesOf({ bytes }: Row): Buffer {
  const { buffer, byteOffset, byteLength } = bytes as Uint8Array;
  return Buffer.from(buffer, byteOffset, byteLength);
}

function isEntry(entry: unknown): entry is Entry {
  if (!Array.isArray(entry)) return false;
  const [length, source, receivedAt, messageId, writesMessageId, timestamp, replay] =
    entry as unknown[];
  return (
    typeof length === 'number' &&
    length > 0 &&
    typeof source === 'number' &&
    typeof receivedAt === 'number' &&
    typeof messageId === 'string' &&
    typeof writesMessageId === 'number' &&
    (timestamp === null || typeof timestamp === 'string') &&
    (replay === undefined || typeof replay === 'string')
  );
}

/** `source` is the name of its source. @throws Error if its text is damaged */
export function eventOfBlock(
  { id, receivedAt, queuedAt, stamp, bytes }: BlockEvent,
  source: string,
): StoredEvent {
  return { id, source, receivedAt, queuedAt, stamp, event: compactEvent(eventOf(bytes, source)) };
}
