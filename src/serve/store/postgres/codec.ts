import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EndpointDeliveryState } from '../../../delivery/outcome.js';
import { compactEvent } from '../../../events/text-event.js';
import { blockOf, eventOfBlock, eventOfPart, partsOfBlock, type NewEvent } from '../event-block.js';
import { eventOf, type RetryEvent, type StoredEvent } from '../stored.js';

/** Events of a block at most, and thus the distance of the ids of blocks. */
export const maxBlockEvents = 128;

/** The place of an event in its block, from 0. */
export function placeOf(id: number): number {
  return id % maxBlockEvents;
}

/** Fast: most of a block are JSON texts with the same members. */
const level = 1;

/** A head as JSON and the texts of events after it, deflated. */
function pack(head: string, bytes: Buffer): Buffer {
  const json = Buffer.from(head);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return deflateRawSync(Buffer.concat([length, json, bytes]), { level });
}

/** @throws Error if it is damaged */
function unpack(body: Uint8Array): { readonly head: string; readonly bytes: Buffer } {
  const all = inflateRawSync(body);
  const end = 4 + all.readUInt32BE(0);
  return { head: all.toString('utf8', 4, end), bytes: all.subarray(end) };
}

/** The body of a block; `unpackBlock` reads it. */
export function packBlock(events: readonly NewEvent[]): Buffer {
  const { entries, bytes } = blockOf(events);
  return pack(entries, bytes);
}

/** A row of `event_block`. */
export interface BlockRow {
  readonly id: number;
  readonly queuedAt: number;
  readonly body: Uint8Array;
}

/**
 * The events of a block, in order; their ids follow from that of the block.
 * @param nameOf the name of a source by its number
 * @throws Error if it is damaged
 */
export function unpackBlock(
  { id, queuedAt, body }: BlockRow,
  nameOf: (source: number) => string,
): StoredEvent[] {
  const { head, bytes } = unpack(body);
  const first = id * maxBlockEvents;
  const size = (JSON.parse(head) as unknown[]).length;
  const row = { last_id: first + size - 1, queued_at: queuedAt, entries: head };
  return partsOfBlock(row, bytes.length).map((part) =>
    eventOfBlock(eventOfPart(part, bytes), nameOf(part.source)),
  );
}

/** Replaces the text of a removed event. Its messageId is empty, which no other event's is. */
const removedText = Buffer.from('{"type":"track"}');

/** Whether an event was removed from its block. */
export function isRemoved({ event, stamp }: StoredEvent): boolean {
  return stamp.messageId === '' && event.bytes.equals(removedText);
}

/** The body of a block without the events at these places: the others stay where they are. @throws Error if it is damaged */
export function withoutPlaces(body: Uint8Array, places: ReadonlySet<number>): Buffer {
  const { head, bytes } = unpack(body);
  const parts: Buffer[] = [];
  let end = 0;
  const entries = (JSON.parse(head) as [length: number, ...known: unknown[]][]).map((entry, at) => {
    const [length, source, receivedAt] = entry;
    const start = end;
    end += length;
    parts.push(places.has(at) ? removedText : bytes.subarray(start, end));
    return places.has(at) ? [removedText.length, source, receivedAt, '', 0, null] : entry;
  });
  return pack(JSON.stringify(entries), Buffer.concat(parts));
}

/** A retry with why it is one. */
export interface BatchedRetry extends RetryEvent {
  readonly code: string;
  readonly message: string;
}

interface BatchEntry {
  readonly id: number;
  readonly source: string;
  readonly receivedAt: number;
  readonly queuedAt: number;
  readonly messageId: string;
  readonly writesMessageId: boolean;
  readonly timestamp?: string | undefined;
  readonly dueAt: number;
  readonly endpointDeliveries: readonly EndpointDeliveryState[];
  readonly code: string;
  readonly message: string;
  /** Of its text, in bytes. */
  readonly length: number;
}

/** The body of a batch of retries; `unpackBatch` reads it. */
export function packBatch(retries: readonly BatchedRetry[]): Buffer {
  const entries = retries.map(({ event, stamp, ...rest }): BatchEntry => {
    const { id, source, receivedAt, queuedAt, dueAt, endpointDeliveries, code, message } = rest;
    const { messageId, writesMessageId, timestamp } = stamp;
    return {
      ...{ id, source, receivedAt, queuedAt, messageId, writesMessageId, timestamp },
      ...{ dueAt, endpointDeliveries, code, message, length: event.bytes.length },
    };
  });
  return pack(JSON.stringify(entries), Buffer.concat(retries.map(({ event }) => event.bytes)));
}

/** @throws Error if it is damaged */
export function unpackBatch(body: Uint8Array): BatchedRetry[] {
  const { head, bytes } = unpack(body);
  let end = 0;
  return (JSON.parse(head) as BatchEntry[]).map((entry) => {
    const { messageId, writesMessageId, timestamp, length, ...known } = entry;
    const start = end;
    end += length;
    const stamp = { messageId, writesMessageId, ...(timestamp !== undefined && { timestamp }) };
    const event = compactEvent(eventOf(bytes.subarray(start, end), entry.source));
    return { ...known, stamp, event };
  });
}

/** The ids of the events of a batch. @throws Error if it is damaged */
export function batchIds(body: Uint8Array): number[] {
  return (JSON.parse(unpack(body).head) as BatchEntry[]).map(({ id }) => id);
}

/** Lines of the outcome log. */
export function packLines(lines: readonly string[]): Buffer {
  return deflateRawSync(lines.join('\n'), { level });
}

/** @throws Error if they are damaged */
export function unpackLines(body: Uint8Array): string[] {
  return inflateRawSync(body).toString('utf8').split('\n');
}
