import { describe, expect, it } from 'vitest';
import { isZone, Zone } from '../../../src/events/map/zone.js';

function utcOf(zone: string, local: string): string {
  const seconds = new Zone(zone).toUtc(Date.parse(`${local}Z`) / 1000);
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

describe('a local time in UTC', () => {
  it.each([
    ['an hour before clocks are set forward', '2024-03-31T01:30:00', '2024-03-31T00:30:00'],
    ['that clocks jump over is taken as 03:30', '2024-03-31T02:30:00', '2024-03-31T01:30:00'],
    ['after clocks are set forward', '2024-03-31T03:30:00', '2024-03-31T01:30:00'],
    ['that occurs twice is the first of both', '2024-10-27T02:30:00', '2024-10-27T00:30:00'],
    ['after clocks are set back', '2024-10-27T03:00:00', '2024-10-27T02:00:00'],
    ['in summer', '2024-07-01T12:00:00', '2024-07-01T10:00:00'],
  ])('%s', (_, local, utc) => {
    expect(utcOf('Europe/Berlin', local)).toBe(utc);
  });

  it.each([
    ['America/Los_Angeles', '2024-03-10T02:30:00', '2024-03-10T10:30:00'],
    ['America/Los_Angeles', '2024-11-03T01:30:00', '2024-11-03T08:30:00'],
    ['Australia/Lord_Howe', '2024-04-07T01:45:00', '2024-04-06T14:45:00'],
    ['Asia/Kathmandu', '2024-01-01T00:00:00', '2023-12-31T18:15:00'],
    ['+05:30', '2024-01-01T00:00:00', '2023-12-31T18:30:00'],
    ['-0230', '2024-01-01T00:00:00', '2024-01-01T02:30:00'],
    ['UTC', '2024-01-01T00:00:00', '2024-01-01T00:00:00'],
  ])('of %s: %s', (zone, local, utc) => {
    expect(utcOf(zone, local)).toBe(utc);
  });

  it('is found again by Intl for each hour of a year', () => {
    const zone = new Zone('America/New_York');
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'America/New_York',
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    let jumped = 0;
    for (let hour = 0; hour < 366 * 24; hour += 1) {
      const local = Date.UTC(2024, 0, 1, hour) / 1000;
      const shown = format.format(zone.toUtc(local) * 1000);
      if (shown !== new Date(local * 1000).toISOString().slice(0, 19).replace('T', ' ')) jumped++;
    }
    expect(jumped).toBe(1);
  });
});

it.each(['Europe/Berlin', 'UTC', '+02:00', '-0330'])('%s is a zone', (name) => {
  expect(isZone(name)).toBe(true);
});

it.each(['Europe/Atlantis', 'Local', '', '+2'])('%j is no zone', (name) => {
  expect(isZone(name)).toBe(false);
});
