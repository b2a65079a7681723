import type { AttemptResult, Outcome, RetryState } from '../../delivery/outcome.js';
import type { QueuedEvent, StoredEvent } from '../store/stored.js';
import type { EventIdentity } from '../event-identity.js';
import type { EventRecord } from '../event-record.js';
import type { Ending, Failure } from '../store/service-store.js';

/**
 * The ending to be recorded; undefined for an event that stays in the store unchanged.
 *
 * @param now Milliseconds since 1970.
 * @param canSend Whether other events of the destination can be sent now: one that only URLs want which are down or
 * paused makes room for them, as a retry that is due later.
 */
export function endingOf(
  outcome: Outcome,
  event: QueuedEvent,
  now: number,
  canSend = false,
): Ending | undefined {
  const { verdict, retry, code = '', message = '' } = outcome;
  if (verdict === 'delivered' || verdict === 'skipped') return { kind: verdict };
  if (retry) {
    const makesRoom = canSend && event.endpointDeliveries === undefined;
    if (isUnchanged(retry, event) && !makesRoom) return undefined;
    const delayMs = Math.max(0, retry.dueAt - now);
    return { kind: 'postponed', retry, delayMs, code, message };
  }
  if (verdict === 'pending') return undefined;
  const failure = {
    code,
    message,
    attempts: attemptsOf(outcome),
    lastStatus: lastOf(outcome, event).status,
    response: outcome.attempts.at(-1)?.response,
  };
  return { kind: 'failed', failure };
}

/** Whether nothing was attempted and nothing is due at another time. */
function isUnchanged(
  { endpointDeliveries }: RetryState,
  { endpointDeliveries: before }: QueuedEvent,
): boolean {
  return endpointDeliveries.every(({ attempts, dueAt }, index) => {
    const { attempts: made = 0, dueAt: due } = before?.[index] ?? {};
    return attempts === made && (before === undefined || dueAt === due);
  });
}

/** The same for logs and lists. Called for every event, so it avoids spreads. */
export function recordOf(
  outcome: Outcome,
  ending: Ending,
  event: QueuedEvent,
  about: Pick<EventRecord, 'at' | 'destination' | keyof EventIdentity>,
): EventRecord {
  const last = lastOf(outcome, event);
  return {
    at: about.at,
    destination: about.destination,
    source: event.source,
    messageId: event.stamp.messageId,
    type: about.type,
    name: about.name,
    user: about.user,
    receivedAt: event.receivedAt,
    state: ending.kind === 'postponed' ? 'retrying' : ending.kind,
    attempts: attemptsOf(outcome),
    status: last.status,
    error: last.error,
    durationMs: last.durationMs,
    code: outcome.code ?? null,
    message: outcome.message ?? null,
    nextAt: outcome.retry?.dueAt ?? null,
    endpoints: outcome.attempts,
    response: outcome.verdict === 'delivered' ? null : (outcome.attempts.at(-1)?.response ?? null),
  };
}

/** The same for an event that expired without another attempt. */
export function expiryOf(
  event: StoredEvent,
  failure: Failure,
  about: Pick<EventRecord, 'at' | 'destination' | keyof EventIdentity>,
): EventRecord {
  const { code, message, attempts: attemptCount } = failure;
  const { messageId } = event.stamp;
  const outcome: Outcome = {
    verdict: 'failed',
    messageId,
    attempts: [],
    attemptCount,
    code,
    message,
  };
  return recordOf(outcome, { kind: 'failed', failure }, event, about);
}

function attemptsOf({ attemptCount, attempts }: Outcome): number {
  return attemptCount ?? attempts.length;
}

type LastAttempt = Pick<AttemptResult, 'status' | 'error' | 'durationMs'>;

function lastOf({ attempts }: Outcome, { endpointDeliveries }: QueuedEvent): LastAttempt {
  const last = attempts.at(-1);
  if (last) return last;
  const [before] = endpointDeliveries ?? [];
  return { status: before?.status ?? null, error: before?.error ?? null, durationMs: 0 };
}
