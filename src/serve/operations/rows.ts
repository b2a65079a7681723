import type { AttemptResult } from '../../delivery/outcome.js';
import type { DeletionRequest } from '../store/views.js';
import type { LogEntry } from '../store/delivery-log-entry.js';
import type { StoredEvent, RetryEvent } from '../store/stored.js';
import type { DeadLetter, RejectedCall } from '../store/rows.js';
import type {
  AttemptRow,
  DeadLetterRow,
  DeletionRow,
  DeliveryRow,
  EventSummary,
  HistoryRow,
  QueuedRow,
  RejectedRow,
  WaitingRow,
} from '../../api/serve.js';
import type { ActivityEntry } from './activity.js';
import type { Hold } from './holds.js';
import type { Numbered } from './newest.js';
import type { Skip } from './skips.js';
import { identityOf, type EventIdentity } from '../event-identity.js';

/** ISO 8601 in UTC, of milliseconds since 1970. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function attemptRow(result: AttemptResult): AttemptRow {
  const { at, url, attempt, status, error, durationMs, response } = result;
  const row = { at: timeOf(at), url, attempt, status, error, durationMs: rounded(durationMs) };
  return response ? { ...row, response } : row;
}

export function deliveryRow({ number, item }: Numbered<ActivityEntry>): DeliveryRow {
  const id = String(number);
  if (item.kind === 'skip') return skippedRow(id, item.skip);
  const { forwarding } = item;
  const { verdict, nextAt, code, message } = forwarding;
  return {
    id,
    ...eventSummary(forwarding),
    destination: forwarding.destination,
    state: verdict === 'retry' ? 'retrying' : verdict,
    at: timeOf(forwarding.at),
    attempts: forwarding.attempts.map(attemptRow),
    tries: forwarding.attemptCount,
    nextAt: nextAt === undefined ? null : timeOf(nextAt),
    code: code ?? null,
    message: message ?? null,
  };
}

function skippedRow(id: string, skip: Skip & { readonly destination: string }): DeliveryRow {
  const { destination, code, message, receivedAt } = skip;
  return {
    id,
    ...eventSummary(skip),
    destination,
    state: 'skipped',
    at: timeOf(receivedAt),
    attempts: [],
    tries: 0,
    nextAt: null,
    code,
    message,
  };
}

export function waitingRow(
  destination: string,
  waiting: RetryEvent,
  hold: Hold | undefined,
): WaitingRow {
  const { id, event, stamp, dueAt, endpointDeliveries } = waiting;
  const last = endpointDeliveries.findLast(({ isDelivered }) => !isDelivered);
  return {
    id: String(id),
    ...eventSummary({ ...waiting, ...stamp, ...identityOf(event) }),
    destination,
    nextAt: timeOf(dueAt),
    tries: endpointDeliveries.reduce((sum, { attempts }) => sum + attempts, 0),
    status: last?.status ?? null,
    error: last?.error ?? null,
    held: hold?.message ?? null,
  };
}

export function queuedRow(destination: string, stored: StoredEvent, hold: Hold): QueuedRow {
  const { id, event, stamp } = stored;
  return {
    id: String(id),
    ...eventSummary({ ...stored, ...stamp, ...identityOf(event) }),
    destination,
    code: hold.code,
    message: hold.message,
    until: hold.until === undefined ? null : timeOf(hold.until),
  };
}

export function historyRow(entry: LogEntry): HistoryRow {
  const { state, destination, at, tries, status, error, durationMs, code, message, response } =
    entry;
  return {
    ...eventSummary(entry),
    ...{ state, destination, at: timeOf(at), tries, status, error, durationMs, code, message },
    ...(response && { response }),
  };
}

export function deadLetterRow(deadLetter: DeadLetter): DeadLetterRow {
  const { id, destination, failedAt, code, message, attempts, lastStatus, event } = deadLetter;
  return {
    id: String(id),
    ...eventSummary({ ...deadLetter, ...(event ? identityOf(event) : unreadable) }),
    destination,
    at: timeOf(failedAt),
    code,
    message,
    tries: attempts,
    lastStatus,
  };
}

/** Of an event whose text is damaged. */
const unreadable: EventIdentity = { type: 'unreadable', name: null, user: null };

export function deletionRow(request: DeletionRequest): DeletionRow {
  const { id, source, userId, timestamp, receivedAt, messageId } = request;
  // A number keeps its digits as received.
  const user = userId.startsWith('"') ? (JSON.parse(userId) as string) : userId;
  return { id: String(id), source, user, timestamp, at: timeOf(receivedAt), messageId };
}

/** Longer texts are truncated. */
const maxText = 32_768;

export function rejectedRow({
  id,
  source,
  receivedAt,
  code,
  message,
  bytes,
}: RejectedCall): RejectedRow {
  const text = bytes.toString('utf8', 0, maxText);
  return { id: String(id), source, at: timeOf(receivedAt), code, message, text };
}

interface Summarized extends EventIdentity {
  readonly source: string;
  readonly messageId: string;
  readonly receivedAt: number;
}

function eventSummary({
  source,
  messageId,
  type,
  name,
  user,
  receivedAt,
}: Summarized): EventSummary {
  return { source, messageId, type, name, user, receivedAt: timeOf(receivedAt) };
}

/** To microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
