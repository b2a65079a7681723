import type { DestinationState } from '../../../src/api/serve.js';
import { countOf, countText, resultText, timestampText } from '../../shared/text/format.js';
import { agoText, spanText } from '../outcomes/span.js';
import { healthOf } from './health.js';

export interface Note {
  readonly text: string;
  readonly tone: 'bad' | 'warn' | 'quiet';
}

/** What there is to say of a destination beside its state, the most important first; `now` in ms. */
export function notesOf(destination: DestinationState, now: number): Note[] {
  return [
    ...switchNotes(destination),
    ...certificateNotes(destination, now),
    ...pauseNotes(destination, now),
    ...failureNotes(destination, now),
    ...queueNotes(destination, now),
  ];
}

function switchNotes(destination: DestinationState): Note[] {
  const { configured, enabled, configuredEnabled, refusal } = destination;
  if (!configured) return [{ text: 'no longer in the configuration', tone: 'quiet' }];
  if (refusal !== null) return [{ text: 'certificate cannot be used, see the log', tone: 'bad' }];
  if (enabled !== configuredEnabled) return [{ text: 'switched manually', tone: 'quiet' }];
  return enabled ? [] : [{ text: 'off in the configuration', tone: 'quiet' }];
}

const warnMs = 14 * 24 * 60 * 60 * 1000;

/** The certificate that ends first, if that is soon. */
function certificateNotes({ endpoints }: DestinationState, now: number): Note[] {
  const [first] = endpoints.flatMap(({ certificateEndsAt }) => certificateEndsAt ?? []).sort();
  const rest = first === undefined ? Infinity : Date.parse(first) - now;
  if (rest > warnMs) return [];
  if (rest <= 0) return [{ text: 'client certificate has expired', tone: 'bad' }];
  return [{ text: `client certificate ends in ${spanText(rest)}`, tone: 'warn' }];
}

/** Until the first endpoint resumes when all are paused, or else until the last one does. */
function pauseNotes({ endpoints }: DestinationState, now: number): Note[] {
  const until = endpoints.flatMap(({ pausedUntil }) => pausedUntil ?? []).sort();
  if (until.length === 0) return [];
  const isAll = until.length === endpoints.length;
  const some = isAll
    ? ''
    : `${countText(until.length)} of ${countOf(endpoints.length, 'endpoint')} `;
  const end = timestampText((isAll ? until[0] : until.at(-1))!, now).replace(/\.\d+$/, '');
  return [{ text: `${some}paused until ${end}`, tone: 'warn' }];
}

function failureNotes(destination: DestinationState, now: number): Note[] {
  const { endpoints, lastFailure, retrying, nextRetryAt, enabled } = destination;
  const health = healthOf(destination);
  const isUp = health === 'delivering' || health === 'waiting';
  const notes: Note[] = [];
  const broken = endpoints.filter((one) => ['failing', 'down', 'gone'].includes(one.health));
  if (broken.length > 0 && isUp) {
    const text = `${countText(broken.length)} of ${countOf(endpoints.length, 'endpoint')} ${broken[0]!.health}`;
    notes.push({ text, tone: 'bad' });
  }
  const isShown = isUp ? retrying > 0 : ['failing', 'down', 'gone'].includes(health);
  if (lastFailure && isShown) {
    const result = resultText(lastFailure.status, lastFailure.error) ?? 'failed';
    const tone = isUp ? 'warn' : 'bad';
    notes.push({ text: `${result} ${agoText(lastFailure.at, now)}`, tone });
  }
  if (retrying > 0 && nextRetryAt !== null && enabled && health !== 'paused') {
    const rest = Date.parse(nextRetryAt) - now;
    const due = isUp ? 'next attempt now' : 'waits until it recovers';
    const text = rest > 0 ? `next in ${spanText(rest)}` : due;
    notes.push({ text, tone: 'warn' });
  }
  return notes;
}

/** An age is noteworthy from here on. */
const agedMs = 60_000;

function queueNotes({ queuedSince, deadLettersDropped }: DestinationState, now: number): Note[] {
  const age = queuedSince === null ? 0 : now - Date.parse(queuedSince);
  const notes: Note[] = [];
  if (age >= agedMs) notes.push({ text: `queued for ${spanText(age)}`, tone: 'warn' });
  if (deadLettersDropped > 0) {
    notes.push({ text: `${countOf(deadLettersDropped, 'dead letter')} dropped`, tone: 'warn' });
  }
  return notes;
}
