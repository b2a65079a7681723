import type { RequestVerdict } from '../request-verifier.js';

/** Why the time of a signature that fits is refused; undefined if it has none. */
export function explainTime(
  { timestampMs, reason }: RequestVerdict,
  nowMs: number,
): string | undefined {
  if (timestampMs === undefined || (reason !== 'expired' && reason !== 'future')) return undefined;
  const unit = unitOf(timestampMs, nowMs);
  if (unit !== undefined) return unit;
  const ageMs = nowMs - timestampMs;
  const how = `${durationText(Math.abs(ageMs))} ${ageMs < 0 ? 'after' : 'before'}`;
  const facts = `the signature fits, only its time does not: it was signed ${how} the time as of which it is judged`;
  return `${facts}; ${zoneText(ageMs) ?? (ageMs < 0 ? ahead : behind)}`;
}

const behind =
  'the clock of the sender is behind, or the request is old: judge an old one as of its time (--at), or allow more time (--tolerance)';
const ahead =
  'the clock of the sender is ahead, or ours is behind: set both by a time server, or allow more time (--tolerance)';

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

const units: readonly (readonly [number, string])[] = [
  [24 * hour, 'd'],
  [hour, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** `1 d 2 h`: the two largest units. */
function durationText(ms: number): string {
  const start = units.findIndex(([size]) => ms >= size);
  if (start < 0) return `${ms} ms`;
  let rest = ms;
  const parts = units.slice(start, start + 2).map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { count, text: `${count} ${unit}` };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ text }) => text)
    .join(' ');
}
