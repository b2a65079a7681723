import { timestampMs } from '../../events/timestamp.js';
import type { Value } from './document.js';
import { timeMs } from './time.js';

/** A client whose clock is off by more than this has its times corrected. */
const maxSkewMs = 5_000;

/** What becomes of the times of an event. */
export interface Times {
  /** Written in place of the event's own timestamp; undefined leaves it out. */
  readonly timestamp: string | undefined;
  /** The event's own timestamp becomes its `originalTimestamp`; else it is dropped. */
  readonly keepsOriginal: boolean;
}

/**
 * How far the client's clock is behind ours, in milliseconds, when it is too far to be delay.
 *
 * @param sentAt As it stands in the message or in its batch; 0 where it says nothing.
 */
export function skewOf(sentAt: unknown, receivedAt: number): number {
  const sentMs = timeMs(sentAt);
  if (sentMs === undefined) return 0;
  const skewMs = receivedAt - sentMs;
  return Math.abs(skewMs) > maxSkewMs ? skewMs : 0;
}

/**
 * What has to be changed for an event to have a valid and true timestamp; undefined when nothing
 * has: a time that the caller gave is kept to the letter, and none needs none.
 */
export function timesOf(event: Value, skewMs: number): Times | undefined {
  const { timestamp, originalTimestamp } = event;
  const isValid = timestampMs(timestamp) !== undefined;
  if (isValid && skewMs === 0) return undefined;
  const corrected = isoOf(timeMs(timestamp), skewMs);
  if (corrected !== undefined) return { timestamp: corrected, keepsOriginal: true };
  if (isValid) return undefined;
  const fallback = validOriginal(originalTimestamp, skewMs);
  if (timestamp === undefined && fallback === undefined) return undefined;
  const isReported = timestamp !== undefined && timestamp !== null && timestamp !== '';
  return { timestamp: fallback, keepsOriginal: isReported && fallback === undefined };
}

/** RudderStack's clients say the time of the call so where the caller gave none. */
function validOriginal(original: unknown, skewMs: number): string | undefined {
  if (skewMs === 0 && timestampMs(original) !== undefined) return original as string;
  return isoOf(timeMs(original), skewMs);
}

/** Undefined outside of the years that a timestamp can say. */
function isoOf(ms: number | undefined, skewMs: number): string | undefined {
  if (ms === undefined) return undefined;
  const date = new Date(ms + skewMs);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : undefined;
}
