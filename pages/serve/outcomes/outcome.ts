import type {
  AttemptRow,
  DeadLetterRow,
  DeliveryRow,
  DeliveryState,
  EventSummary,
  HistoryRow,
  QueuedRow,
  RejectedRow,
  WaitingRow,
} from '../../../src/api/serve.js';
import type { ResponseExcerpt } from '../../../src/delivery/outcome.js';

/** The outcome of an event at a destination, or before it was forwarded. */
export type OutcomeState = DeliveryState | 'rejected' | 'queued' | 'repeated';

/** A row of every list of the page, whichever list of the service it came from. */
export interface Outcome {
  /** Identifies an event at a destination. */
  readonly key: string;
  readonly state: OutcomeState;
  readonly at: string;
  readonly source: string;
  /** Null for what was rejected or repeated. */
  readonly destination: string | null;
  /** These are null where they could not be made out in what was rejected. */
  readonly type: string | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly messageId: string | null;
  readonly receivedAt: string;
  readonly tries: number;
  /** The last response; both null when nothing was sent. */
  readonly status: number | null;
  readonly error: string | null;
  readonly nextAt: string | null;
  readonly code: string | null;
  readonly message: string | null;
  /** Those of the last round, where they are known. */
  readonly attempts: readonly AttemptRow[];
  /** Of the row with its attempts and what the responses said, while the service keeps it. */
  readonly deliveryId: string | null;
  /** Of the dead letter, by which it can be delivered again. */
  readonly deadLetterId: string | null;
  /** The text of a rejected event, as received. */
  readonly text: string | null;
  /** What the last response said, where the history knows it. */
  readonly response?: ResponseExcerpt;
  /** Why it waits for longer than until `nextAt`. */
  readonly held?: string;
  /** When it was known to be so, where that is later than `at`. */
  readonly knownAt?: string;
}

export function ofDelivery(row: DeliveryRow): Outcome {
  const last = row.attempts.at(-1);
  return {
    ...summaryOf(row, row.destination),
    state: row.state,
    at: row.at,
    tries: row.tries,
    status: last?.status ?? null,
    error: last?.error ?? null,
    nextAt: row.nextAt,
    code: row.code,
    message: row.message,
    attempts: row.attempts,
    deliveryId: row.id,
    deadLetterId: null,
  };
}

export function ofWaiting(row: WaitingRow, knownAt?: string): Outcome {
  const { tries, status, error, nextAt } = row;
  return {
    ...summaryOf(row, row.destination),
    state: 'retrying',
    at: row.receivedAt,
    tries,
    status,
    error,
    nextAt,
    code: null,
    message: null,
    attempts: [],
    deliveryId: null,
    deadLetterId: null,
    ...(row.held !== null && { held: row.held }),
    ...(knownAt !== undefined && { knownAt }),
  };
}

export function ofQueued(row: QueuedRow, knownAt: string): Outcome {
  const { code, message, until } = row;
  return {
    ...summaryOf(row, row.destination),
    ...nothingSent,
    ...{ state: 'queued', at: row.receivedAt, knownAt, code, message, nextAt: until },
  };
}

export function ofHistory(row: HistoryRow): Outcome {
  const { state, at, tries, status, error, code, message, response } = row;
  return {
    ...summaryOf(row, row.destination),
    ...nothingSent,
    ...{ state, at, tries, status, error, code, message },
    ...(response && { response }),
  };
}

const nothingSent = {
  ...{ tries: 0, status: null, error: null, nextAt: null },
  ...{ attempts: [], deliveryId: null, deadLetterId: null },
} as const;

export function ofDeadLetter(row: DeadLetterRow): Outcome {
  const { at, tries, code, message } = row;
  return {
    ...summaryOf(row, row.destination),
    state: 'failed',
    at,
    tries,
    status: row.lastStatus,
    error: null,
    nextAt: null,
    code,
    message,
    attempts: [],
    deliveryId: null,
    deadLetterId: row.id,
  };
}

export function ofRejected(row: RejectedRow): Outcome {
  const { at, source, code, message, text } = row;
  return {
    key: `rejected ${row.id}`,
    state: 'rejected',
    at,
    source,
    destination: null,
    ...identify(text),
    receivedAt: at,
    tries: 0,
    status: null,
    error: null,
    nextAt: null,
    code,
    message,
    attempts: [],
    deliveryId: null,
    deadLetterId: null,
    text,
  };
}

function summaryOf(row: EventSummary, destination: string | null) {
  const { source, messageId, type, name, user, receivedAt } = row;
  const key = JSON.stringify([source, messageId, destination]);
  return { key, source, destination, messageId, type, name, user, receivedAt, text: null };
}

/** By what someone would look for it, as far as it is there. */
function identify(text: string): Pick<Outcome, 'type' | 'name' | 'user' | 'messageId'> {
  const event = parsed(text);
  const textOf = (...names: string[]): string | null => {
    const found = names.map((name) => event[name]).find((value) => value != null && value !== '');
    return typeof found === 'string' || typeof found === 'number' ? String(found) : null;
  };
  return {
    type: textOf('type'),
    name: textOf('event', 'name', 'groupId'),
    user: textOf('userId', 'anonymousId'),
    messageId: textOf('messageId'),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
