import type {
  AttemptRow,
  DeletionRow,
  EventAtDestination,
  Overview,
  ReplayRow,
} from '../../api/serve.js';
import type { AttemptResult, ResponseExcerpt } from '../../delivery/outcome.js';
import { toMicroseconds } from '../../duration.js';
import type { EventRecord } from '../event-record.js';
import { skippedOf, type StoredReplay } from '../kept/replay-store.js';
import { shownId } from '../raw/repeat-id.js';
import { shownBytes, type RejectedCall } from '../store/records.js';
import type { DeletionRequest } from '../store/records.js';

/** ISO 8601 in UTC, of milliseconds since 1970. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function attemptRow(result: AttemptResult): AttemptRow {
  const { at, url, attempt, status, error, durationMs, response } = result;
  const row = {
    at: timeOf(at),
    url,
    attempt,
    status,
    error,
    durationMs: toMicroseconds(durationMs),
  };
  return response ? { ...row, response } : row;
}

/** A record as the API has it. */
export function apiRecord(record: EventRecord, id: string): EventAtDestination {
  const { state, source, destination, type, name, user } = record;
  const messageId = shownId(record.messageId);
  const { attempts, status, error, code, message, nextAt, held, asOf, response } = record;
  return {
    ...{ id, state, source, destination, messageId, type, name, user },
    receivedAt: timeOf(record.receivedAt),
    at: timeOf(record.at),
    ...{ attempts, status, error, durationMs: toMicroseconds(record.durationMs), code, message },
    nextAt: nextAt === null ? null : timeOf(nextAt),
    endpoints: record.endpoints.map(attemptRow),
    ...(held !== undefined && { held }),
    ...(asOf !== undefined && { asOf: timeOf(asOf) }),
    ...(response && { response }),
  };
}

/** The text of a rejected call, as far as it is shown. */
export function textOf({ bytes }: RejectedCall): string {
  return bytes.toString('utf8', 0, shownBytes);
}

/** A rejected call as the record of an event that came to no destination. */
export function apiRejectedCall(call: RejectedCall): EventAtDestination {
  const { id, source, code, message, receivedAt } = call;
  const at = timeOf(receivedAt);
  const text = textOf(call);
  return {
    ...{ id: `rejected-${id}`, state: 'rejected', source, destination: null },
    ...identityIn(text),
    ...{ receivedAt: at, at, attempts: 0, status: null, error: null, durationMs: 0 },
    ...{ code, message, nextAt: null, endpoints: [], text },
  };
}

/** What someone may search it by, as far as it is known. */
function identityIn(
  text: string,
): Pick<EventAtDestination, 'messageId' | 'type' | 'name' | 'user'> {
  const event = parsed(text);
  const first = (...names: string[]): string | null => {
    const found = names.map((name) => event[name]).find((value) => value != null && value !== '');
    return typeof found === 'string' || typeof found === 'number' ? String(found) : null;
  };
  return {
    messageId: first('messageId'),
    type: first('type'),
    name: first('event', 'name', 'groupId'),
    user: first('userId', 'anonymousId'),
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

export function deletionRow(request: DeletionRequest): DeletionRow {
  const { id, source, userId, timestamp, receivedAt, messageId } = request;
  // A number keeps its digits as received.
  const user = userId.startsWith('"') ? (JSON.parse(userId) as string) : userId;
  return { id: String(id), source, user, timestamp, at: timeOf(receivedAt), messageId };
}

// An excerpt of a response takes up to some kilobytes, and the stream carries thousands of attempts: a page
// asks for the one that somebody looks at.

/** A record as the stream carries it. */
export function withoutResponses(record: EventAtDestination): EventAtDestination {
  return { ...withoutResponse(record), endpoints: record.endpoints.map(withoutResponse) };
}

export function replayRow(replay: StoredReplay): ReplayRow {
  const { id, request, state, createdAt, endedAt, sent, position, message } = replay;
  const total = position.total === undefined ? null : Math.max(position.total, sent);
  const { destination, since, until, perSecond, ...selection } = request;
  return {
    ...{ id, destination, state, sent, total, skipped: skippedOf(replay), message },
    createdAt: timeOf(createdAt),
    endedAt: endedAt === null ? null : timeOf(endedAt),
    selection: {
      ...selection,
      ...(since !== undefined && { since: timeOf(since) }),
      ...(until !== undefined && { until: timeOf(until) }),
      ...(perSecond !== undefined && { rate: `${perSecond}/s` }),
    },
  };
}

/** An overview as the stream carries it. */
export function shortOverview(overview: Overview): Overview {
  const destinations = overview.destinations.map((destination) => {
    const { lastFailure } = destination;
    return { ...destination, lastFailure: lastFailure && withoutResponse(lastFailure) };
  });
  return { ...overview, destinations };
}

function withoutResponse<Said extends { response?: ResponseExcerpt }>(said: Said): Said {
  const short = { ...said };
  delete short.response;
  return short;
}
