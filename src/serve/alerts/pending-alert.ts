import type { Clock } from '../../clock.js';
import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult } from '../../delivery/outcome.js';
import { durationInWords } from '../../duration.js';
import type { ServiceStore } from '../store/service-store.js';
import {
  alertOf,
  type Alert,
  type AlertCounts,
  type AlertFacts,
  type DetectedKind,
} from './alert.js';
import type { AlertState } from './alert-states.js';
import type { AlertSubject } from './subject.js';

/** An alert, and what counts as reported once it is delivered. */
export interface PendingAlert {
  readonly alert: Alert;
  readonly reported: Omit<AlertState, 'at'>;
}

/** What an alert is made of. */
export interface AlertParts {
  readonly store: Pick<ServiceStore, 'length' | 'views'>;
  readonly clock: Clock;
  readonly subject: AlertSubject;
  /** What was reported before. */
  readonly state: AlertState;
  /** The last attempt that did not deliver. */
  readonly lastFailure: AttemptResult | undefined;
}

/** @throws StateError when the store cannot be read */
export function pendingAlertOf(
  kind: DetectedKind,
  parts: AlertParts,
): PendingAlert | Promise<PendingAlert> {
  if (kind === 'dead_letters') return deadLetterAlert(parts);
  if (kind === 'certificate') return certificateAlert(parts);
  return kind === 'up' ? upAlert(parts) : downAlert(parts);
}

function downAlert(parts: AlertParts): PendingAlert {
  const { clock, subject, state, lastFailure } = parts;
  const waitsForMs = clock.monotonic() - subject.outage.since!;
  // Reported before a restart: it is the same outage.
  const since = Math.round(
    Math.min(clock.now() - waitsForMs, state.isDown ? state.since : Infinity),
  );
  const { refusal } = subject.destination;
  const failure = lastFailure
    ? describeResult(lastFailure)
    : 'no attempt has ended since the start';
  const reason = refusal ?? failure;
  const lastedMs = Math.max(waitsForMs, clock.now() - since);
  return {
    alert: alertFrom(parts, { kind: 'down', since, lastedMs, reason }),
    reported: { ...settled(state), isDown: true, since },
  };
}

function upAlert(parts: AlertParts): PendingAlert {
  const { clock, subject, state } = parts;
  const { outage } = subject;
  const since = Math.round(clock.now() - (clock.monotonic() - outage.since!));
  const lastedMs = outage.wasDownForMs ?? since - state.since;
  return {
    alert: alertFrom(parts, { kind: 'up', since, lastedMs, reason: 'an event was delivered' }),
    reported: { ...settled(state), isDown: false, since },
  };
}

async function deadLetterAlert(parts: AlertParts): Promise<PendingAlert> {
  const { subject, state, clock } = parts;
  const { id, message } = subject.deadLetters.newest!;
  const newDeadLetters = await subject.deadLetters.countAfter(state.lastDeadLetter);
  const since = subject.deadLetters.newSince ?? clock.now();
  return {
    alert: alertFrom(parts, { kind: 'dead_letters', since, reason: message }, { newDeadLetters }),
    reported: { ...state, lastDeadLetter: id },
  };
}

function certificateAlert(parts: AlertParts): PendingAlert {
  const { subject, state, clock } = parts;
  const { url, end } = subject.certificate!;
  const leftMs = end - clock.now();
  const day = new Date(end).toISOString().slice(0, 10);
  const reason =
    leftMs > 0 ? `it ends in ${durationInWords(leftMs, 1)}, on ${day}` : `it ended on ${day}`;
  const facts = { kind: 'certificate', since: clock.now(), reason, endpoint: url } as const;
  return {
    alert: alertFrom(parts, facts, { certificateDays: Math.floor(leftMs / dayMs) }),
    reported: { ...state, certificateEnd: end },
  };
}

const dayMs = 24 * 60 * 60 * 1000;

/** This process reports a change. */
function settled({ lastDeadLetter, certificateEnd }: AlertState) {
  return { lastDeadLetter, certificateEnd };
}

function alertFrom(
  { store, subject: { destination }, lastFailure }: AlertParts,
  facts: Omit<AlertFacts, 'counts'>,
  more: Pick<AlertCounts, 'newDeadLetters' | 'certificateDays'> = {},
): Alert {
  const { waiting, retrying } = store.length(destination.name);
  // A shared store counts those that are kept every few seconds.
  const kept = store.views.deadLetterCount(destination.name);
  const deadLetters = Math.max(kept, more.newDeadLetters ?? 0);
  const counts = { waiting, retrying, deadLetters, ...more };
  return alertOf(destination, { endpoint: lastFailure?.url, ...facts, counts });
}
