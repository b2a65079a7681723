import { timestampMs } from '../../events/timestamp.js';
import type { Value } from './document.js';

/** The times of a client whose clock is off by more than this are corrected. */
const maxSkewMs = 5_000;

/** How the times of an event are rewritten. */
export interface Times {
  /** Replaces the event's own timestamp; undefined removes it. */
  readonly timestamp: string | undefined;
  /** Whether the event's own timestamp becomes its `originalTimestamp`. */
  readonly keepsOriginal: boolean;
}

/**
 * How far the client's clock is behind ours, in milliseconds; 0 when transmission delay can explain
 * it, or `sentAt` is not a valid time.
 *
 * @param sentAt From the message or its batch.
 */
export function skewOf(sentAt: unknown, receivedAt: number): number {
  const sentMs = timeMs(sentAt);
  if (sentMs === undefined) return 0;
  const skewMs = receivedAt - sentMs;
  return Math.abs(skewMs) > maxSkewMs ? skewMs : 0;
}

/**
 * The changes that give an event a valid and correct timestamp; undefined when none are needed: a
 * valid time of the caller is kept byte for byte, and a missing one stays missing.
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

/** RudderStack's clients send the time of the call in it when the caller passed none. */
function validOriginal(original: unknown, skewMs: number): string | undefined {
  if (skewMs === 0 && timestampMs(original) !== undefined) return original as string;
  return isoOf(timeMs(original), skewMs);
}

/** Undefined outside the years that a timestamp can express. */
function isoOf(ms: number | undefined, skewMs: number): string | undefined {
  if (ms === undefined) return undefined;
  const date = new Date(ms + skewMs);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : undefined;
}

const form =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2})(?::(\d{1,2})([.,]\d+)?)?)?\s*([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * Milliseconds since 1970 of a date and time as clients write it. Beyond the documented forms,
 * leading zeros, seconds, the zone (UTC by default) or the time may be missing. Undefined when it
 * cannot be parsed.
 */
export function timeMs(text: unknown): number | undefined {
  const exact = timestampMs(text);
  if (exact !== undefined) return exact;
  const parts = typeof text === 'string' ? form.exec(text.trim()) : null;
  if (!parts) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = parts;
  const date = [year, padded(month!), padded(day!)].join('-');
  const time = [padded(hour), padded(minute), padded(second)].join(':');
  return timestampMs(`${date}T${time}${fraction.replace(',', '.')}${zoneOf(zone)}`);
}

function padded(digits: string): string {
  return digits.padStart(2, '0');
}

function zoneOf(zone = 'Z'): string {
  if (zone.length === 1) return 'Z';
  return zone.length === 3 ? `${zone}00` : zone;
}
