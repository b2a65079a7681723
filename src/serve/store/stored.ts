import type { EndpointDeliveryState } from '../../delivery/outcome.js';
import { EvfwdError } from '../../errors.js';
import { eventTypes, type Event, type EventType } from '../../events/event.js';
import { findMember, findNamed, scanText, valueAt } from '../../json/members.js';
import type { Stamp } from '../../events/stamp.js';
import { TextEvent, type Findings } from '../../events/text-event.js';
import type { Row, SqlValue } from '../../storage/sqlite.js';
import { isRawText, RawRequest } from '../raw/raw-request.js';

/** An event that still waits after this time expires and becomes a dead letter. */
export const maxWaitMs = 7 * 24 * 60 * 60 * 1000;

/** How many dead letters, rejected calls and deletion requests are kept by default, the newest. */
export const maxStoredRows = { deadLetter: 100_000, rejected: 10_000, deletion: 10_000 };

/** An event that waits in the store for at least one destination. */
export interface StoredEvent {
  /** Larger than that of every event that was queued before; never used twice. */
  readonly id: number;
  /** Name of the source. */
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** When it was queued, or for a dead letter queued again; milliseconds since 1970. After 7 days it expires. */
  readonly queuedAt: number;
  readonly event: Event;
  readonly stamp: Stamp;
}

/** Called for a durable event with the destinations for which it is queued. */
export type OnStored = (event: StoredEvent, destinations: readonly string[]) => void;

/**
 * A stored event with the state of earlier attempts at one destination. `dueAt` is corrected when the clock
 * is set back, see retry-times.ts; the times in `endpointDeliveries` are not.
 */
export interface RetryEvent extends StoredEvent {
  readonly dueAt: number;
  readonly endpointDeliveries: readonly EndpointDeliveryState[];
}

/** About what an event takes in memory besides its bytes: its members, its stamp and its place in a queue. */
const objectBytes = 1024;

/** About what an event takes in memory, in bytes. */
export function memoryOf({ event }: StoredEvent): number {
  return memoryOfText(event.bytes.length);
}

/** The same of one whose text has this many bytes. */
export function memoryOfText(length: number): number {
  return length + objectBytes;
}

/** An event before its first attempt, or with the state of earlier ones. */
export type QueuedEvent = StoredEvent & Partial<Pick<RetryEvent, 'endpointDeliveries'>>;

export const eventColumns =
  'source, received_at, message_id, writes_message_id, timestamp, replay, bytes';

/** In the order of `eventColumns`. */
export function eventValues(
  source: number,
  receivedAt: number,
  { messageId, writesMessageId, timestamp, replay }: Stamp,
  bytes: Buffer,
): SqlValue[] {
  const id = JSON.stringify(messageId);
  const added = [writesMessageId ? 1 : 0, timestamp ?? null, replay ?? null];
  return [source, receivedAt, id, ...added, bytes];
}

/** `message_id` of a row is JSON text. @throws Error if it is damaged */
export function messageIdOf({ message_id }: Row): string {
  const id: unknown = JSON.parse(message_id as string);
  if (typeof id === 'string') return id;
  throw new Error('the id of an event is damaged');
}

/** An event from its row; `source` is the name of its source. @throws Error if it is damaged */
export function eventOfRow(row: Row, source: string): StoredEvent {
  const { buffer, byteOffset, length } = row.bytes as Uint8Array;
  // Not a copy: the row is not used again.
  const bytes = Buffer.from(buffer, byteOffset, length);
  const timestamp = row.timestamp as string | null;
  return {
    id: Number(row.id),
    source,
    receivedAt: Number(row.received_at),
    queuedAt: Number(row.queued_at),
    event: eventOf(bytes, source),
    stamp: {
      messageId: messageIdOf(row),
      writesMessageId: row.writes_message_id === 1,
      ...(timestamp !== null && { timestamp }),
      ...(typeof row.replay === 'string' && { replay: row.replay }),
    },
  };
}

/** @throws Error if it is damaged */
export function retryEventOfRow(row: Row, source: string): RetryEvent {
  const dueAt = Number(row.due_at);
  return { ...eventOfRow(row, source), dueAt, endpointDeliveries: endpointDeliveriesOf(row) };
}

/** @throws Error if they are damaged */
export function endpointDeliveriesOf({ endpoints }: Row): EndpointDeliveryState[] {
  const states = JSON.parse(endpoints as string) as EndpointDeliveryState[];
  if (states.every(({ attempts }) => typeof attempts === 'number')) return states;
  throw new Error('the states of a retry are damaged');
}

/**
 * Without validation, which was done on arrival: the batch context may have made it larger than an event may be.
 *
 * @throws Error if the text is damaged
 */
export function eventOf(bytes: Buffer, file: string): Event {
  const origin = { file, line: 1, offset: 0, length: bytes.length };
  if (isRawText(bytes)) return new RawRequest(bytes, origin).checked();
  const found = scanText(bytes);
  if (!found) throw new Error('the text of an event is damaged');
  return new TextEvent(bytes, typeOf(bytes, found), origin, undefined, found);
}

function typeOf(bytes: Buffer, { spans, members }: Findings): EventType {
  const member = spans ? findNamed(bytes, spans, 'type') : findMember(members!, 'type');
  const type = valueAt(bytes, member!) as EventType;
  if (type !== 'delete' && !eventTypes.includes(type))
    throw new Error('the type of an event is damaged');
  return type;
}

/**
 * The result of a read; undefined if what it reads is damaged.
 *
 * @throws StateError, when the store cannot be read: later it may be possible
 */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof EvfwdError && error.code !== 'state_damaged') throw error;
    return undefined;
  }
}
