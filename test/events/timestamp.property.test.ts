import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimestamp, timestampMs } from '../../src/events/timestamp.js';
import { runs } from '../helpers/property-runs.js';

describe('a timestamp is accepted', () => {
  it.each([
    ['2026-11-20T08:30:00.000Z', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T08:30:00Z', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T08:30:00.5Z', '2026-11-20T08:30:00.500Z'],
    ['2026-11-20T08:30:00.123456789Z', '2026-11-20T08:30:00.123Z'],
    ['2026-11-20T08:30:59.9999999999999999999Z', '2026-11-20T08:30:59.999Z'],
    ['2026-11-20T08:30:00+02:00', '2026-11-20T06:30:00.000Z'],
    ['2026-11-20T08:30:00+0200', '2026-11-20T06:30:00.000Z'],
    ['2026-11-20T08:30:00.25-0530', '2026-11-20T14:00:00.250Z'],
    ['2026-11-20T08:30:00-00:00', '2026-11-20T08:30:00.000Z'],
    ['2026-01-01T00:00:00+23:59', '2025-12-31T00:01:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s', (text, time) => {
    expect(new Date(timestampMs(text)!).toISOString()).toBe(time);
  });
});

describe('a timestamp is rejected', () => {
  it.each([
    ['a day alone', '2026-11-20'],
    ['no zone', '2026-11-20T08:30:00'],
    ['no seconds', '2026-11-20T08:30Z'],
    ['a space instead of the T', '2026-11-20 08:30:00Z'],
    ['a space before the zone', '2026-11-20T08:30:00 Z'],
    ['space around', ' 2026-11-20T08:30:00Z'],
    ['a newline', '2026-11-20T08:30:00Z\n'],
    ['a small t', '2026-11-20t08:30:00Z'],
    ['a small z', '2026-11-20T08:30:00z'],
    ['a zone of hours alone', '2026-11-20T08:30:00+02'],
    ['a zone with a name', '2026-11-20T08:30:00 CET'],
    ['a zone of 24 hours', '2026-11-20T08:30:00+24:00'],
    ['a zone of 60 minutes', '2026-11-20T08:30:00+0260'],
    ['a comma before the fraction', '2026-11-20T08:30:00,5Z'],
    ['a point without fraction', '2026-11-20T08:30:00.Z'],
    ['month 0', '2026-00-20T08:30:00Z'],
    ['month 13', '2026-13-20T08:30:00Z'],
    ['day 0', '2026-11-00T08:30:00Z'],
    ['day 31 of November', '2026-11-31T08:30:00Z'],
    ['29 February of a common year', '2026-02-29T08:30:00Z'],
    ['29 February of a common century', '1900-02-29T08:30:00Z'],
    ['hour 24', '2026-11-20T24:00:00Z'],
    ['minute 60', '2026-11-20T08:60:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['a year of five digits', '12026-11-20T08:30:00Z'],
    ['a signed year', '+002026-11-20T08:30:00Z'],
    ['one digit for the month', '2026-1-20T08:30:00Z'],
    ['the basic form', '20261120T083000Z'],
    ['a week date', '2026-W47-5T08:30:00Z'],
    ['the HTTP form', 'Fri, 20 Nov 2026 08:30:00 GMT'],
    ['digits of another script', '２０２６-11-20T08:30:00Z'],
    ['a number in text', '1795163400000'],
    ['nothing', ''],
    ['a number', 1_795_163_400_000],
    ['null', null],
    ['a list', ['2026-11-20T08:30:00Z']],
  ])('%s: %j', (_, value) => {
    expect(timestampMs(value)).toBeUndefined();
    expect(isTimestamp(value)).toBe(false);
  });
});

it('every time of ten thousand years is read back, in any zone', () => {
  fc.assert(
    fc.property(anyTime, fc.integer({ min: -1439, max: 1439 }), fc.boolean(), (at, zone, colon) => {
      const local = new Date(at.getTime() + zone * 60_000).toISOString();
      fc.pre(/^\d{4}-/.test(local));
      const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60].map((part) =>
        String(part).padStart(2, '0'),
      );
      const text = `${local.slice(0, -1)}${zone < 0 ? '-' : '+'}${hours}${colon ? ':' : ''}${minutes}`;
      expect(timestampMs(text)).toBe(at.getTime());
    }),
  );
});

it('isTimestamp agrees with timestampMs, whatever the characters', () => {
  const place = fc.constantFrom(...'0123456789-:.TZ+ é'.split(''));
  const near = fc.tuple(anyTime, fc.nat(23), place, fc.boolean()).map(([at, index, put, isCut]) => {
    const text = at.toISOString();
    return text.slice(0, index) + put + text.slice(isCut ? index : index + 1);
  });
  const parts = fc
    .tuple(fc.nat(14), fc.nat(33), fc.nat(25), fc.nat(61), fc.nat(61), fc.nat(999))
    .map(([month, day, hour, minute, second, ms]) => {
      const [m, d, h, i, s] = [month, day, hour, minute, second].map((part) =>
        String(part).padStart(2, '0'),
      );
      return `2026-${m}-${d}T${h}:${i}:${s}.${String(ms).padStart(3, '0')}Z`;
    });
  const any = fc.oneof(
    near,
    parts,
    anyTime.map((at) => at.toISOString()),
  );
  fc.assert(
    fc.property(any, (text) => {
      expect(isTimestamp(text)).toBe(timestampMs(text) !== undefined);
    }),
    { numRuns: runs(3000) },
  );
});

const anyTime = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});
