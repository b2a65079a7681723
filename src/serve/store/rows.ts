import type { Event } from '../../events/event.js';
import type { ResponseExcerpt } from '../../delivery/outcome.js';
import type { Row } from '../../storage/sqlite.js';
import { unlessDamaged } from './damaged-rows.js';
import { eventOf, messageIdOf } from './stored.js';

/** An event that was given up at a destination. */
export interface DeadLetter {
  readonly id: number;
  readonly destination: string;
  readonly source: string;
  readonly messageId: string;
  /** Undefined if its text is damaged. */
  readonly event: Event | undefined;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly failedAt: number;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly lastStatus: number | null;
  /** What the last response said; undefined if there was none, or it is not known. */
  readonly response: ResponseExcerpt | undefined;
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

/** The name of a source or destination by its number. */
type NameOf = (id: Row[string] | undefined) => string;

export function deadLetterOf(row: Row, nameOf: NameOf): DeadLetter {
  const bytes = Buffer.from(row.bytes as Uint8Array);
  return {
    id: Number(row.id),
    destination: nameOf(row.destination),
    source: nameOf(row.source),
    messageId: unlessDamaged(() => messageIdOf(row)) ?? '',
    event: unlessDamaged(() => eventOf(bytes, '')),
    receivedAt: Number(row.received_at),
    failedAt: Number(row.failed_at),
    code: row.code as string,
    message: row.message as string,
    attempts: Number(row.attempts),
    lastStatus: row.last_status === null ? null : Number(row.last_status),
    response: responseOf(row),
    bytes,
  };
}

function responseOf({ response }: Row): ResponseExcerpt | undefined {
  if (typeof response !== 'string') return undefined;
  return unlessDamaged(() => JSON.parse(response) as ResponseExcerpt);
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
