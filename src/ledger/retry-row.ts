import { hash } from 'node:crypto';
import { codeOfResult } from '../delivery/describe.js';
import type { EndpointDeliveryState, RetryState } from '../delivery/outcome.js';
import { sourceText, type Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import type { Row, SqlValue } from '../storage/sqlite.js';

/** An event that waits for a retry: where its text is, and how to send it. */
export interface RetryRow {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** Milliseconds from when it was stored to `dueAt`. */
  readonly delayMs: number;
  /** Index of the file in the import. */
  readonly file: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly part: number;
  /** Hash of the event's text, to check that the file is still the same. */
  readonly hash: string;
  /** The text of its record, if that cannot be read again at its offset. */
  readonly text: Buffer | null;
  readonly givenId: string | null;
  readonly stamp: Stamp;
  /** The user of the event, for ordered delivery. */
  readonly user: string;
  readonly endpointDeliveries: readonly EndpointDeliveryState[];
}

/** Where the text of an event can be read again, and when the event was stored. */
export interface RetrySource {
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  readonly file: number;
  readonly user: string;
  /** Whether the line can be read again at its offset, and contains this event unchanged. */
  readonly canReread: boolean;
}

export function retryRow(
  id: number,
  event: Event,
  stamp: Stamp,
  retry: RetryState,
  source: RetrySource,
): RetryRow {
  const { line, offset, length } = event.origin;
  return {
    id,
    dueAt: retry.dueAt,
    delayMs: retry.dueAt - source.storedAt,
    file: source.file,
    line,
    offset,
    length,
    part: event.part ?? 0,
    hash: hashOf(event.bytes),
    text: source.canReread ? null : sourceText(event),
    givenId: event.givenId ?? null,
    stamp,
    user: source.user,
    endpointDeliveries: retry.endpointDeliveries,
  };
}

/** Why the event waits: the code of the last attempt at a URL that is to be tried again, if there was one. */
export function retryCodeOf({ endpointDeliveries }: RetryRow): string | undefined {
  const last = endpointDeliveries.findLast(
    ({ dueAt, attempts }) => dueAt !== undefined && attempts > 0,
  );
  return last && codeOfResult(last);
}

export function hashOf(bytes: Buffer): string {
  return hash('sha1', bytes).slice(0, 16);
}

/** The columns of the table, in the order of `toValues`. */
export const retryColumns = [
  'id',
  'due_at',
  'delay',
  'file',
  'line',
  'offset',
  'length',
  'part',
  'hash',
  'text',
  'given_id',
  'message_id',
  'writes_message_id',
  'timestamp',
  'user',
  'endpoints',
] as const;

export function toValues(row: RetryRow): SqlValue[] {
  const { stamp } = row;
  return [
    row.id,
    row.dueAt,
    row.delayMs,
    row.file,
    row.line,
    row.offset,
    row.length,
    row.part,
    row.hash,
    row.text,
    row.givenId,
    stamp.messageId,
    stamp.writesMessageId ? 1 : 0,
    stamp.timestamp ?? null,
    row.user,
    JSON.stringify(row.endpointDeliveries),
  ];
}

export function fromRow(row: Row): RetryRow {
  const timestamp = row.timestamp as string | null;
  return {
    id: Number(row.id),
    dueAt: Number(row.due_at),
    delayMs: Number(row.delay),
    file: Number(row.file),
    line: Number(row.line),
    offset: Number(row.offset),
    length: Number(row.length),
    part: Number(row.part),
    hash: row.hash as string,
    text: row.text === null ? null : Buffer.from(row.text as Uint8Array),
    givenId: row.given_id as string | null,
    stamp: {
      messageId: row.message_id as string,
      writesMessageId: row.writes_message_id === 1,
      ...(timestamp !== null && { timestamp }),
    },
    user: row.user as string,
    endpointDeliveries: JSON.parse(row.endpoints as string) as EndpointDeliveryState[],
  };
}
