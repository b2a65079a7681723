import { describe, expect, it } from 'vitest';
import type { TimeUnit } from '../../../src/events/map/event-map.js';
import { NoTime, timeText } from '../../../src/events/map/time-text.js';
import { Zone } from '../../../src/events/map/zone.js';

function read(text: string, unit: TimeUnit = 'auto', zone?: string, local = false): string {
  const rules = { unit, zone: zone === undefined ? undefined : new Zone(zone), local };
  const time = timeText(text, rules);
  return time instanceof NoTime ? `no: ${time.reason}` : time;
}

describe('a number is a time', () => {
  it.each<[string, TimeUnit, string]>([
    ['1602611311', 'auto', '2020-10-13T17:48:31.000Z'],
    ['9999999999', 'auto', '2286-11-20T17:46:39.000Z'],
    ['10000000000', 'auto', '1970-04-26T17:46:40.000Z'],
    ['1602611311123', 'auto', '2020-10-13T17:48:31.123Z'],
    ['1602611311123456', 'auto', '2020-10-13T17:48:31.123456Z'],
    ['1602611311123456789', 'auto', '2020-10-13T17:48:31.123456789Z'],
    ['1602611311.5', 'auto', '2020-10-13T17:48:31.500Z'],
    ['1602611311.123456789012', 's', '2020-10-13T17:48:31.123456789012Z'],
    ['1602611311123.25', 'ms', '2020-10-13T17:48:31.12325Z'],
    ['1.602611311e9', 's', '2020-10-13T17:48:31.000Z'],
    ['1.602611311123E+12', 'ms', '2020-10-13T17:48:31.123Z'],
    ['1602611311123456e-6', 's', '2020-10-13T17:48:31.123456Z'],
    ['0', 's', '1970-01-01T00:00:00.000Z'],
    ['5', 'ms', '1970-01-01T00:00:00.005Z'],
    ['5e-3', 's', '1970-01-01T00:00:00.005Z'],
    ['-1', 's', '1969-12-31T23:59:59.000Z'],
    ['-1', 'ms', '1969-12-31T23:59:59.999Z'],
    ['-1000', 'ms', '1969-12-31T23:59:59.000Z'],
    ['-1.25', 's', '1969-12-31T23:59:58.750Z'],
    ['-1602611311', 'auto', '1919-03-21T06:11:29.000Z'],
  ])('%s in %s', (text, unit, time) => {
    expect(read(text, unit)).toBe(time);
  });

  it.each<[string, TimeUnit, RegExp]>([
    ['20240131', 'auto', /name its unit/],
    ['12345678901234567890', 'auto', /name its unit/],
    ['1e30', 's', /between the years/],
    ['1e99', 's', /not a time/],
    ['1'.repeat(100), 's', /not a time/],
    ['253402300800', 's', /between the years/],
    ['1602611311', 'iso', /not a time/],
    ['2024-01-31 10:00:00Z', 'ms', /not a number/],
    ['0x10', 's', /not a number/],
    ['', 's', /not a number/],
  ])('but not %s in %s', (text, unit, reason) => {
    expect(read(text, unit)).toMatch(reason);
  });

  it('that counts in the local time of a zone if the map says so', () => {
    expect(read('1706704496', 's', 'Europe/Berlin')).toBe('2024-01-31T12:34:56.000Z');
    expect(read('1706704496', 's', 'Europe/Berlin', true)).toBe('2024-01-31T11:34:56.000Z');
  });
});

describe('a text is a time', () => {
  it.each([
    ['2024-01-31T12:34:56.789123Z', '2024-01-31T12:34:56.789123Z'],
    ['2024-01-31T12:34:56+0200', '2024-01-31T12:34:56+0200'],
    ['2024-01-31 12:34:56.789000+00:00', '2024-01-31T12:34:56.789000+00:00'],
    ['2024-01-31 12:34:56.789000 UTC', '2024-01-31T12:34:56.789000Z'],
    ['2024-01-31 12:34:56+02', '2024-01-31T12:34:56+02:00'],
    ['2024-01-31T12:34:56,5z', '2024-01-31T12:34:56.5Z'],
    ['2024-01-31T12:34Z', '2024-01-31T12:34:00Z'],
  ])('with a zone: %s', (text, time) => {
    expect(read(text)).toBe(time);
    expect(read(text, 'iso', 'Europe/Berlin')).toBe(time);
  });

  it.each([
    ['2024-01-31 12:34:56.789000', '2024-01-31T12:34:56.789000Z', '2024-01-31T11:34:56.789000Z'],
    ['2024-07-01T12:34:56', '2024-07-01T12:34:56Z', '2024-07-01T10:34:56Z'],
    ['2024-01-31', '2024-01-31T00:00:00Z', '2024-01-30T23:00:00Z'],
    ['0001-01-02 00:00:00', '0001-01-02T00:00:00Z', '0001-01-01T23:06:32Z'],
  ])('in the zone of the map: %s', (text, utc, berlin) => {
    expect(read(text, 'auto', 'UTC')).toBe(utc);
    expect(read(text, 'auto', 'Europe/Berlin')).toBe(berlin);
  });

  it('but not without any zone', () => {
    expect(read('2024-01-31 12:34:56')).toMatch(/has no zone: name it in the map/);
  });

  it.each([
    '2024-02-30 00:00:00',
    '2024-01-31 24:00:00',
    '31/01/2024',
    '2024',
    'now',
    '2024-01-31 1:00',
  ])('but not %s', (text) => {
    expect(read(text, 'iso', 'UTC')).toBe('no: is not a time');
  });
});
