import type { Clock } from '../../clock.js';
import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult } from '../../delivery/outcome.js';
import { durationInWords } from '../../duration.js';
import type { ServiceStore } from '../store/service-store.js';
import { alertOf, type Alert, type AlertCounts, type AlertNews, type NewsKind } from './alert.js';
import type { AlertState } from './alert-states.js';
import type { AlertSubject } from './subject.js';

/** An alert, and what has been told once it is delivered. */
export interface News {
  readonly alert: Alert;
  readonly told: Omit<AlertState, 'at'>;
}

/** What news are made of. */
export interface NewsParts {
  readonly store: Pick<ServiceStore, 'length' | 'views'>;
  readonly clock: Clock;
  readonly subject: AlertSubject;
  /** What was told before. */
  readonly state: AlertState;
  /** The last attempt that did not deliver. */
  readonly lastFailure: AttemptResult | undefined;
}

/** @throws StateError when the store cannot be read */
export function newsOf(kind: NewsKind, parts: NewsParts): News | Promise<News> {
  if (kind === 'dead_letters') return deadLetterNews(parts);
  if (kind === 'certificate') return certificateNews(parts);
  return kind === 'up' ? upNews(parts) : downNews(parts);
}

function downNews(parts: NewsParts): News {
  const { clock, subject, state, lastFailure } = parts;
  const waitsForMs = clock.monotonic() - subject.outage.since!;
  // Told before a restart: it is the same outage.
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
    told: { ...settled(state), isDown: true, since },
  };
}

function upNews(parts: NewsParts): News {
  const { clock, subject, state } = parts;
  const { outage } = subject;
  const since = Math.round(clock.now() - (clock.monotonic() - outage.since!));
  const lastedMs = outage.wasDownForMs ?? since - state.since;
  return {
    alert: alertFrom(parts, { kind: 'up', since, lastedMs, reason: 'an event was delivered' }),
    told: { ...settled(state), isDown: false, since },
  };
}

async function deadLetterNews(parts: NewsParts): Promise<News> {
  const { subject, state, clock } = parts;
  const { id, message } = subject.deadLetters.newest!;
  const newDeadLetters = await subject.deadLetters.countAfter(state.lastDeadLetter);
  const since = subject.deadLetters.newSince ?? clock.now();
  return {
    alert: alertFrom(parts, { kind: 'dead_letters', since, reason: message }, { newDeadLetters }),
    told: { ...state, lastDeadLetter: id },
  };
}

function certificateNews(parts: NewsParts): News {
  const { subject, state, clock } = parts;
  const { url, end } = subject.certificate!;
  const leftMs = end - clock.now();
  const day = new Date(end).toISOString().slice(0, 10);
  const reason =
    leftMs > 0 ? `it ends in ${durationInWords(leftMs, 1)}, on ${day}` : `it ended on ${day}`;
  const news = { kind: 'certificate', since: clock.now(), reason, endpoint: url } as const;
  return {
    alert: alertFrom(parts, news, { certificateDays: Math.floor(leftMs / dayMs) }),
    told: { ...state, certificateEnd: end },
  };
}

const dayMs = 24 * 60 * 60 * 1000;

/** A change was told by this process. */
function settled({ lastDeadLetter, certificateEnd }: AlertState) {
  return { lastDeadLetter, certificateEnd };
}

function alertFrom(
  { store, subject: { destination }, lastFailure }: NewsParts,
  news: Omit<AlertNews, 'counts'>,
  more: Pick<AlertCounts, 'newDeadLetters' | 'certificateDays'> = {},
): Alert {
  const { waiting, retrying } = store.length(destination.name);
  // A shared store counts those that are kept every few seconds.
  const kept = store.views.deadLetterCount(destination.name);
  const deadLetters = Math.max(kept, more.newDeadLetters ?? 0);
  const counts = { waiting, retrying, deadLetters, ...more };
  return alertOf(destination, { endpoint: lastFailure?.url, ...news, counts });
}
