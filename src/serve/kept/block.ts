import type { Stamp } from '../../events/stamp.js';
import { eventOf, type StoredEvent, unlessDamaged } from '../store/stored.js';

/** An event as it was accepted, and where it went. */
export interface KeptEvent extends Omit<StoredEvent, 'queuedAt'> {
  /** Id under which it was queued; 0 if it had no destination. */
  readonly id: number;
  /** Names of the destinations for which it was queued. */
  readonly destinations: readonly string[];
}

/** A kept event that was read. */
export interface ReadEvent extends KeptEvent {
  /** Its place in its block, from 0, where removed events keep theirs; of a shared store its id. */
  readonly at: number;
}

/** The length of what precedes a block in its file: a mark, and the lengths of its head and body. */
export const prefixBytes = 12;
const magic = 0x316b7665;

type Entry = readonly [
  id: number,
  /** Of its text, in bytes. */
  length: number,
  /** Position in `from`. */
  source: number,
  receivedAt: number,
  messageId: string,
  writesMessageId: 0 | 1,
  timestamp: string | null,
];

interface Head {
  readonly to: readonly string[];
  readonly from: readonly string[];
  readonly events: readonly Entry[];
}

/** The events of one commit that went to the same destinations: a prefix, a head in JSON, their texts. */
export function keptBlock(events: readonly KeptEvent[]): Buffer {
  const from = [...new Set(events.map(({ source }) => source))];
  const entries = events.map(({ id, event, source, receivedAt, stamp }): Entry => {
    const { messageId, writesMessageId, timestamp = null } = stamp;
    const position = from.indexOf(source);
    const { length } = event.bytes;
    return [id, length, position, receivedAt, messageId, writesMessageId ? 1 : 0, timestamp];
  });
  const head: Head = { to: events[0]!.destinations, from, events: entries };
  const text = Buffer.from(JSON.stringify(head));
  const parts = [prefixOf(text.length, sumOf(entries)), text];
  for (const { event } of events) parts.push(event.bytes);
  return Buffer.concat(parts);
}

/** The lengths in a prefix; undefined if these bytes are none. */
export function lengthsOf(prefix: Buffer): { head: number; body: number } | undefined {
  if (prefix.length < prefixBytes || prefix.readUInt32LE(0) !== magic) return undefined;
  return { head: prefix.readUInt32LE(4), body: prefix.readUInt32LE(8) };
}

/** The length of the block at the beginning of these bytes; undefined if it is not whole. */
export function blockLength(bytes: Buffer): number | undefined {
  const lengths = lengthsOf(bytes);
  const length = lengths && prefixBytes + lengths.head + lengths.body;
  return length !== undefined && length <= bytes.length ? length : undefined;
}

/** The events of a block, without removed and damaged ones. They share the memory of its bytes. */
export function eventsOfKept(block: Buffer): ReadEvent[] {
  const read = unlessDamaged(() => headOf(block));
  if (!read) return [];
  const { head, bodyAt } = read;
  let end = bodyAt;
  return head.events.flatMap((entry, at) => {
    const start = end;
    end += entry[1];
    const bytes = block.subarray(start, end);
    return unlessDamaged(() => ({ ...eventOfEntry(entry, bytes, head), at })) ?? [];
  });
}

/**
 * A copy of a block without the events for which `isRemoved`: spaces replace their texts and ids, so that its length
 * stays the same. Undefined if it has none of these events.
 */
export function withoutEvents(
  block: Buffer,
  isRemoved: (event: KeptEvent) => boolean,
): Buffer | undefined {
  const read = unlessDamaged(() => headOf(block));
  if (!read) return undefined;
  const { head, bodyAt } = read;
  const changed = Buffer.from(block);
  let removed = 0;
  let end = bodyAt;
  const events = head.events.map((entry): Entry => {
    const start = end;
    end += entry[1];
    const event = unlessDamaged(() => eventOfEntry(entry, block.subarray(start, end), head));
    if (!event || !isRemoved(event)) return entry;
    changed.fill(space, start, end);
    removed++;
    return [entry[0], entry[1], entry[2], entry[3], '', 0, null];
  });
  if (removed === 0) return undefined;
  const text = Buffer.from(JSON.stringify({ ...head, events }));
  changed.fill(space, prefixBytes, bodyAt);
  text.copy(changed, prefixBytes);
  return changed;
}

const space = 0x20;

function prefixOf(head: number, body: number): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(magic, 0);
  prefix.writeUInt32LE(head, 4);
  prefix.writeUInt32LE(body, 8);
  return prefix;
}

function sumOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, [, length]) => sum + length, 0);
}

/** @throws Error if it is damaged */
function headOf(block: Buffer): { readonly head: Head; readonly bodyAt: number } {
  const lengths = lengthsOf(block);
  if (!lengths) throw new Error('a block of kept events is damaged');
  const bodyAt = prefixBytes + lengths.head;
  const head = JSON.parse(block.toString('utf8', prefixBytes, bodyAt)) as Head;
  if (sumOf(head.events) !== lengths.body) throw new Error('a block of kept events is damaged');
  return { head, bodyAt };
}

/** @throws Error if it is damaged, or was removed */
function eventOfEntry(entry: Entry, bytes: Buffer, { from, to }: Head): KeptEvent {
  const [id, , position, receivedAt, messageId, writesMessageId, timestamp] = entry;
  const source = from[position]!;
  if (bytes[0] === space) throw new Error('an event was removed');
  const stamp: Stamp = {
    messageId,
    writesMessageId: writesMessageId === 1,
    ...(timestamp !== null && { timestamp }),
  };
  return {
    ...{ id, source, receivedAt, stamp, destinations: to },
    event: eventOf(bytes, source),
  };
}
