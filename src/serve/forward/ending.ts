import type { Outcome } from '../../deliver/outcome.js';
import type { Ending } from '../store/end-change.js';
import type { StoredEvent, WaitingEvent } from '../store/stored.js';
import type { Recognised } from '../recognise.js';
import type { Forwarding } from './recent.js';

/** An event on its way to a destination, at its first try or at a later one. */
export type Forwarded = StoredEvent & Partial<Pick<WaitingEvent, 'legs'>>;

/** What is to be recorded; undefined for an event that stays where it is, as it is. */
export function endingOf(outcome: Outcome, event: Forwarded): Ending | undefined {
  const { verdict, retry, code = '', message = '' } = outcome;
  if (verdict === 'delivered' || verdict === 'skipped') return { kind: verdict };
  if (retry) return { kind: 'postponed', retry, code, message };
  if (verdict === 'pending') return undefined;
  const failure = {
    code,
    message,
    attempts: triesOf(outcome),
    lastStatus: lastOf(outcome, event).status,
  };
  return { kind: 'failed', failure };
}

/** The same for people. */
export function forwardingOf(
  outcome: Outcome,
  ending: Ending,
  event: Forwarded,
  about: Pick<Forwarding, 'at' | 'destination' | keyof Recognised>,
): Forwarding {
  const { attempts, code, message, retry } = outcome;
  return {
    ...about,
    source: event.source,
    messageId: event.stamp.messageId,
    receivedAt: event.receivedAt,
    verdict: ending.kind === 'postponed' ? 'retry' : ending.kind,
    attempts,
    tries: triesOf(outcome),
    ...lastOf(outcome, event),
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(retry && { nextAt: retry.dueAt }),
  };
}

function triesOf({ tries, attempts }: Outcome): number {
  return tries ?? attempts.length;
}

function lastOf(
  { attempts }: Outcome,
  { legs }: Forwarded,
): Pick<Forwarding, 'status' | 'error' | 'durationMs'> {
  const { status, error, durationMs } = attempts.at(-1) ?? { ...legs?.[0], durationMs: 0 };
  return { status: status ?? null, error: error ?? null, durationMs };
}
