import { durationInWords } from '../../duration.js';
import type { RequestVerdict } from '../request-verifier.js';

/**
 * Why the time of a signature that fits is refused; undefined if it has none.
 *
 * @param isLive whether it was judged when it arrived, so that no flag of `verify-sig` helps
 */
export function explainTime(
  { timestampMs, reason }: RequestVerdict,
  nowMs: number,
  isLive = false,
): string | undefined {
  if (timestampMs === undefined || (reason !== 'expired' && reason !== 'future')) return undefined;
  const unit = unitOf(timestampMs, nowMs);
  if (unit !== undefined) return unit;
  const ageMs = nowMs - timestampMs;
  const how = `${durationInWords(Math.abs(ageMs))} ${ageMs < 0 ? 'after' : 'before'}`;
  const facts = `the signature fits, only its time does not: it was signed ${how} the time as of which it is judged`;
  return `${facts}; ${zoneText(ageMs) ?? (isLive ? liveCauseOf(ageMs) : causeOf(ageMs))}`;
}

/** Clocks are hardly ever off by a day. */
function causeOf(ageMs: number): string {
  if (ageMs < 0) return ahead;
  return ageMs >= 24 * hour ? old : behind;
}

/** Of a request that came just now. */
function liveCauseOf(ageMs: number): string {
  if (ageMs < 0) return `${aheadFact}: set both by a time server`;
  if (ageMs >= 24 * hour) return 'the request is old: send it again, signed anew';
  return `${behindFact}: set the clocks by a time server, or send it again, signed anew`;
}

const behindFact = 'the clock of the sender is behind, or the request is old';
const aheadFact = 'the clock of the sender is ahead, or ours is behind';
const old =
  'judge an old request as of the time when it was received (--at), or allow more time (--tolerance)';
const behind = `${behindFact}: ${old}`;
const ahead = `${aheadFact}: set both by a time server, or allow more time (--tolerance)`;

/** A thousand times too much or too little is the other unit. */
function unitOf(timestampMs: number, nowMs: number): string | undefined {
  const day = 86_400_000;
  if (Math.abs(timestampMs / 1000 - nowMs) < day) {
    return 'the signature fits, only its time does not: it is in milliseconds; send seconds';
  }
  if (Math.abs(timestampMs * 1000 - nowMs) < day * 1000) {
    return 'the signature fits, only its time does not: it is in seconds; send milliseconds';
  }
  return undefined;
}

const hour = 3_600_000;

/** A clock that is off by whole hours shows the time of another zone. */
function zoneText(ageMs: number): string | undefined {
  const hours = Math.round(ageMs / hour);
  if (hours === 0 || Math.abs(hours) > 14) return undefined;
  if (Math.abs(ageMs - hours * hour) > 120_000) return undefined;
  return 'whole hours are most likely a time zone: make the sender write the time as UTC';
}
