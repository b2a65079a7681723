import type { Event } from '../../events/event.js';
import type { ResponseExcerpt } from '../../delivery/outcome.js';
import type { Row } from '../../storage/sqlite.js';
import { identityOf, type EventIdentity } from '../event-identity.js';
import { notAttempted, type EventRecord } from '../event-record.js';
import type {
  ReplayPosition,
  ReplayRequest,
  ReplayState,
  StoredReplay,
} from '../kept/replay-store.js';
import type { DeletedUser } from './deleted-users.js';
import {
  eventOf,
  messageIdOf,
  type RetryEvent,
  type StoredEvent,
  unlessDamaged,
} from './stored.js';

/** The record of an event whose text is in the store. */
export interface StoredRecord extends EventRecord {
  readonly destination: string;
  /** Undefined if its text is damaged. */
  readonly event: Event | undefined;
}

/** Of an event that was given up at a destination. */
export interface DeadLetter extends StoredRecord {
  /** Of its row. */
  readonly id: number;
  readonly key: string;
  readonly code: string;
  readonly message: string;
  /** The event's own text. */
  readonly bytes: Buffer;
}

/** A call that was refused. */
export interface RejectedCall {
  readonly id: number;
  readonly source: string;
  readonly receivedAt: number;
  readonly code: string;
  readonly message: string;
  readonly bytes: Buffer;
  readonly isJson: boolean;
}

/** A deletion request. */
export interface DeletionRequest {
  readonly id: number;
  readonly source: string;
  /** JSON text. */
  readonly userId: string;
  readonly timestamp: string;
  readonly receivedAt: number;
  /** Of the notification. */
  readonly messageId: string;
}

/** The name of a source or destination by its number. */
type NameOf = (id: Row[string] | undefined) => string;

/** Of an event that waits for its first attempt. */
export function queuedRecord(destination: string, stored: StoredEvent): StoredRecord {
  const { source, stamp, event, receivedAt } = stored;
  return {
    ...notAttempted,
    ...identityOf(event),
    ...{ state: 'queued', source, destination, messageId: stamp.messageId, event },
    ...{ receivedAt, at: receivedAt, code: null, message: null },
  };
}

/** Of an event that waits for a retry. */
export function retryRecord(destination: string, retry: RetryEvent): StoredRecord {
  const { dueAt, endpointDeliveries } = retry;
  const last = endpointDeliveries.findLast(({ isDelivered }) => !isDelivered);
  return {
    ...queuedRecord(destination, retry),
    state: 'retrying',
    nextAt: dueAt,
    attempts: endpointDeliveries.reduce((sum, { attempts }) => sum + attempts, 0),
    status: last?.status ?? null,
    error: last?.error ?? null,
  };
}

export function deadLetterOf(row: Row, nameOf: NameOf): DeadLetter {
  const bytes = Buffer.from(row.bytes as Uint8Array);
  const event = unlessDamaged(() => eventOf(bytes, ''));
  return {
    ...notAttempted,
    ...(event ? identityOf(event) : unreadable),
    state: 'failed',
    id: Number(row.id),
    key: Buffer.from(row.seen_key as Uint8Array).toString('hex'),
    destination: nameOf(row.destination),
    source: nameOf(row.source),
    messageId: unlessDamaged(() => messageIdOf(row)) ?? '',
    event,
    receivedAt: Number(row.received_at),
    at: Number(row.failed_at),
    code: row.code as string,
    message: row.message as string,
    attempts: Number(row.attempts),
    status: row.last_status === null ? null : Number(row.last_status),
    response: responseOf(row),
    bytes,
  };
}

/** Of an event whose text is damaged. */
const unreadable: EventIdentity = { type: 'unreadable', name: null, user: null };

function responseOf({ response }: Row): ResponseExcerpt | null {
  if (typeof response !== 'string') return null;
  return unlessDamaged(() => JSON.parse(response) as ResponseExcerpt) ?? null;
}

export function rejectedCallOf(row: Row, nameOf: NameOf): RejectedCall {
  return {
    id: Number(row.id),
    source: nameOf(row.source),
    receivedAt: Number(row.received_at),
    code: row.code as string,
    message: row.message as string,
    bytes: Buffer.from(row.bytes as Uint8Array),
    isJson: row.is_json === 1,
  };
}

export function deletionRequestOf(row: Row, nameOf: NameOf): DeletionRequest {
  return {
    id: Number(row.id),
    source: nameOf(row.source),
    ...deletedUserOf(row),
    timestamp: row.timestamp as string,
    messageId: row.message_id as string,
  };
}

/** What says in a row whose deletion was requested, and when. */
export interface DeletedUserColumns {
  readonly user_id?: unknown;
  readonly received_at?: unknown;
}

export function deletedUserOf({ user_id, received_at }: DeletedUserColumns): DeletedUser {
  return { userId: user_id as string, receivedAt: Number(received_at) };
}

export function replayOf(row: Row): StoredReplay {
  return {
    id: row.id as string,
    request: JSON.parse(row.request as string) as ReplayRequest,
    state: row.state as ReplayState,
    createdAt: Number(row.created_at),
    endedAt: row.ended_at === null ? null : Number(row.ended_at),
    position:
      row.position === null ? { done: 0 } : (JSON.parse(row.position as string) as ReplayPosition),
    sent: Number(row.sent),
    message: row.message as string | null,
  };
}

/** A dead letter as a search keeps it: there may be hundreds, each of up to 1 MiB. */
export function withoutText(letter: DeadLetter): DeadLetter {
  return { ...letter, event: undefined, bytes: Buffer.alloc(0) };
}

/** Of a rejected call; the rest is truncated. */
export const shownBytes = 32_768;

/** A rejected call that was found, as far as it is shown. */
export function beginningOf(call: RejectedCall): RejectedCall {
  return { ...call, bytes: Buffer.from(call.bytes.subarray(0, shownBytes)) };
}
