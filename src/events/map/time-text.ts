import { isTimestamp } from '../timestamp.js';
import type { TimeUnit } from './event-map.js';
import type { Zone } from './zone.js';

export interface TimeRules {
  readonly unit: TimeUnit;
  /** Of texts without a zone, and with `local` of numbers. */
  readonly zone: Zone | undefined;
  readonly local: boolean;
}

/** Why a value is not a time: the end of a sentence. */
export class NoTime {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Powers of ten in a second. */
const powers: Readonly<Partial<Record<TimeUnit, number>>> = { s: 0, ms: 3, us: 6, ns: 9 };
/** The years 0 to 9999, in seconds since 1970. */
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;
const maxDigits = 60;

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
const localTime =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?:(:\d{2})(?:[.,](\d+))?)?)?[ ]?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * The time of a text or of the spelling of a number as ISO 8601. All digits of its fraction are kept: only whole
 * seconds are computed. A text that is a timestamp already is returned as it is.
 */
export function timeText(text: string, rules: TimeRules): string | NoTime {
  if (isTimestamp(text)) return text;
  const { unit } = rules;
  const number = unit === 'iso' ? null : decimal.exec(text);
  if (number) return ofNumber(number, rules);
  return unit === 'auto' || unit === 'iso'
    ? ofText(text, rules.zone)
    : new NoTime('is not a number');
}

function ofNumber(parts: RegExpExecArray, { unit, zone, local }: TimeRules): string | NoTime {
  const { digits, fraction, isNegative } = plainNumber(parts);
  if (digits.length + fraction.length > maxDigits) return new NoTime('is not a time');
  const power = powers[unit] ?? powerOf(digits);
  if (power === undefined) {
    return new NoTime('could be a time in several units: name its unit (s, ms, us or ns)');
  }
  const all = digits.padStart(power + 1, '0');
  const whole = Number(all.slice(0, all.length - power));
  const rest = all.slice(all.length - power) + fraction;
  const seconds = isNegative ? -whole - (/[1-9]/.test(rest) ? 1 : 0) : whole;
  const part = isNegative ? complement(rest) : rest;
  const utc = local && zone ? zone.toUtc(seconds) : seconds;
  return written(utc, part.padEnd(3, '0'));
}

/** Without its exponent, by moving the point, and without leading zeros. */
function plainNumber([, sign, whole, part = '', exponent = '0']: RegExpExecArray) {
  const all = whole! + part;
  const point = whole!.length + Number(exponent);
  const digits = point <= 0 ? '0' : all.slice(0, point).padEnd(Math.min(point, maxDigits + 1), '0');
  const fraction = point < 0 ? all.padStart(all.length - point, '0') : all.slice(point);
  return { digits: digits.replace(/^0+(?=\d)/, ''), fraction, isNegative: sign === '-' };
}

/** By the digits of the whole number: seconds until 2286, and so on; none below 1973. */
function powerOf(digits: string): number | undefined {
  const { length } = digits;
  if (length < 9 || length > 19) return undefined;
  return length <= 10 ? 0 : length <= 13 ? 3 : length <= 16 ? 6 : 9;
}

/** The digits of 1 minus a fraction, which is the part of a negative number above its floor. */
function complement(fraction: string): string {
  if (!/[1-9]/.test(fraction)) return fraction;
  return String(10n ** BigInt(fraction.length) - BigInt(fraction)).padStart(fraction.length, '0');
}

function ofText(text: string, zone: Zone | undefined): string | NoTime {
  const [, day, time = '00:00', seconds = ':00', fraction, given] = localTime.exec(text) ?? [];
  if (day === undefined) return new NoTime('is not a time');
  const local = `${day}T${time}${seconds}`;
  const part = fraction === undefined ? '' : `.${fraction}`;
  const full = `${local}${part}${given === undefined ? 'Z' : offset(given)}`;
  if (!isTimestamp(full)) return new NoTime('is not a time');
  if (given !== undefined) return full;
  if (!zone) return new NoTime('has no zone: name it in the map (zone: UTC, or Europe/Berlin)');
  return written(zone.toUtc(Date.parse(`${local}Z`) / 1000), fraction ?? '');
}

function offset(zone: string): string {
  if (!/^[+-]/.test(zone)) return 'Z';
  return zone.length === 3 ? `${zone}:00` : zone;
}

function written(seconds: number, fraction: string): string | NoTime {
  if (!(seconds >= firstSecond && seconds <= lastSecond)) {
    return new NoTime('is not a time between the years 0 and 9999');
  }
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return fraction === '' ? `${whole}Z` : `${whole}.${fraction}Z`;
}
