import { defaults } from '../defaults.js';
import { count, countOf, durationText, msText } from './numbers.js';
import { shortReason } from './reason-text.js';

/** The state of a running import, as shown. */
export interface RunState {
  /** What the run sends, in the singular. Default: `event`. */
  readonly item?: string | undefined;
  /** Events that have ended in this run. */
  readonly ended: number;
  /** Of these, the ones that were sent. */
  readonly sent: number;
  readonly failed: number;
  readonly rejected: number;
  /** Events that wait for a retry. */
  readonly waiting: number;
  /** Milliseconds until the next retry is due; undefined if none is scheduled. */
  readonly nextRetryMs: number | undefined;
  /** Code of the latest failure that is to be retried; undefined if unknown. */
  readonly retryCode?: string | undefined;
  /** Median time to a response; null before the first. */
  readonly medianMs: number | null;
  /** Events that have not ended, estimated; those that wait are among them. Undefined if unknown. */
  readonly left: number | undefined;
  /** Events that have ended in earlier runs. */
  readonly endedBefore: number;
  /**
   * Of a replay with original timing: milliseconds until the last event is due, null if unknown.
   * Undefined for other runs.
   */
  readonly scheduleMs?: number | null | undefined;
  /** Machines that share the run through a queue; undefined for a run of this process. */
  readonly workers?: number | undefined;
}

/** What is measured over the last seconds. */
export interface RunRates {
  /** Sent events per second. */
  readonly sent: number;
  /** Events per second that have ended or begun to wait; undefined if nothing happens. */
  readonly handled: number | undefined;
}

/** A part of the line; those with the lowest rank are dropped first. */
interface Part {
  readonly text: string;
  readonly rank: number;
}

/** `12,345 events  4,115/s  3 failed  1.20 ms  41%, 18 s left`, shortened to `columns`. */
export function progressText(state: RunState, rates: RunRates, columns = Infinity): string {
  let parts = partsOf(state, rates);
  while (lengthOf(parts) > columns && parts.length > 1) {
    const least = Math.min(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank !== least);
  }
  const text = parts.map((part) => part.text).join('  ');
  if (text.length > columns && state.retryCode !== undefined) {
    return progressText({ ...state, retryCode: undefined }, rates, columns);
  }
  return text.length > columns ? text.slice(0, Math.max(0, columns)) : text;
}

function lengthOf(parts: readonly Part[]): number {
  return parts.map(({ text }) => text).join('  ').length;
}

function partsOf(state: RunState, rates: RunRates): Part[] {
  const { item = 'event', ended, failed, rejected, medianMs } = state;
  const parts = [
    { text: countOf(ended, item), rank: 5 },
    { text: rateText(rates.sent), rank: 3 },
  ];
  if (failed > 0) parts.push({ text: `${count(failed)} failed`, rank: 4 });
  if (rejected > 0) parts.push({ text: `${count(rejected)} rejected`, rank: 2 });
  if (medianMs !== null) parts.push({ text: msText(medianMs), rank: 1 });
  return [...parts, ...workerParts(state), ...restParts(state, rates)];
}

/** Without workers nothing happens, so that is of more interest. */
function workerParts({ workers }: RunState): Part[] {
  if (workers === undefined) return [];
  return workers === 0
    ? [{ text: 'no workers', rank: 6 }]
    : [{ text: countOf(workers, 'worker'), rank: 2 }];
}

function rateText(perSecond: number): string {
  const digits = perSecond > 0 && perSecond < 9.95 ? 1 : 0;
  return `${count(Number(perSecond.toFixed(digits)))}/s`;
}

function restParts(state: RunState, rates: RunRates): Part[] {
  const { waiting, left } = state;
  const parts: Part[] = [];
  if (waiting > 0) parts.push({ text: waitingText(state, rates), rank: 7 });
  if (left !== undefined && left > waiting) parts.push({ text: leftText(state, rates), rank: 6 });
  return parts;
}

/** The time of the next attempt is of interest when nothing else happens. */
function waitingText(state: RunState, rates: RunRates): string {
  const { waiting, left, nextRetryMs, retryCode } = state;
  // Each thread of an import has this limit, so that others may read on.
  const isHeld = waiting >= defaults.maxWaiting && rates.handled === undefined;
  const isAllThatIsLeft = left !== undefined && left <= waiting;
  const notes = [
    ...(retryCode === undefined ? [] : [shortReason(retryCode)]),
    ...(isHeld && !isAllThatIsLeft ? ['reading paused'] : []),
  ];
  const text = `${count(waiting)} waiting${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
  if (nextRetryMs === undefined || (rates.handled !== undefined && !isAllThatIsLeft)) return text;
  // While a URL is down, it is tried each second, which was said when it went down.
  if (nextRetryMs < 1_500) return text;
  return `${text}, next attempt in ${durationText(nextRetryMs / 1000)}`;
}

/** `41%, 18 s left`. Not more than 99%, since something is left. */
function leftText(state: RunState, rates: RunRates): string {
  const { ended, endedBefore, left = 0, waiting } = state;
  const done = ended + endedBefore;
  const percent = `${Math.min(99, Math.floor((done / (done + left)) * 100))}%`;
  const seconds = secondsLeft(state, rates);
  if (seconds === undefined) return percent;
  // Retries may take longer than everything else.
  return `${percent}, ${waiting > 0 ? 'at least ' : ''}${durationText(seconds)} left`;
}

function secondsLeft(state: RunState, { sent, handled }: RunRates): number | undefined {
  const { left = 0, waiting, scheduleMs } = state;
  if (scheduleMs === null) return undefined;
  if (scheduleMs !== undefined) return Math.max(0, scheduleMs / 1000);
  // While events only begin to wait, as when the URL is down, their rate says nothing about the rest.
  if (waiting > 0 && sent === 0) return undefined;
  return handled === undefined ? undefined : (left - waiting) / handled;
}
