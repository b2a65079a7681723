import { timestampMs } from '../../events/timestamp.js';

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
