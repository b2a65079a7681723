import { describe, expect, it } from 'vitest';
import { Timeline } from '../../../src/serve/operations/timeline.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

/** 08:30:03, so that the first step of 10 seconds began three seconds before the start. */
const startedAt = Date.parse('2026-11-20T08:30:03.000Z');

function made() {
  const clock = new VirtualClock(startedAt);
  const waiting = new Map<string, number>();
  return { clock, waiting, timeline: new Timeline(clock, () => waiting) };
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

describe('what happened over time', () => {
  it('begins with the start of the service', () => {
    const { timeline } = made();
    expect(timeline.read({})).toMatchObject({
      ...{ stepSeconds: 10, from: '2026-11-20T08:30:00.000Z' },
      ...{ received: [0], delivered: [0], failedAttempts: [0], waiting: [0] },
    });
  });

  it('is counted in steps of ten seconds, those without an event included', () => {
    const { clock, timeline } = made();
    timeline.add('received', undefined, 3);
    clock.advance(7_000);
    timeline.add('received', undefined, 2);
    timeline.add('delivered', undefined);
    clock.advance(25_000);
    timeline.add('failedAttempts', undefined);
    expect(timeline.read({})).toMatchObject({
      received: [3, 2, 0, 0],
      delivered: [0, 1, 0, 0],
      failedAttempts: [0, 0, 0, 1],
    });
  });

  it('of a destination is its own', () => {
    const { timeline } = made();
    timeline.add('delivered', 'crm', 5);
    timeline.add('delivered', undefined, 9);
    expect(timeline.read({ destination: 'crm' }).delivered).toEqual([5]);
    expect(timeline.read({ destination: 'other' }).delivered).toEqual([0]);
    expect(timeline.read({}).delivered).toEqual([9]);
  });

  it('of the last minute of a destination is summed up', () => {
    const { clock, timeline } = made();
    timeline.add('failedAttempts', 'crm', 3);
    clock.advance(70_000);
    timeline.add('delivered', 'crm', 94);
    clock.advance(55_000);
    timeline.add('failedAttempts', 'crm', 6);
    expect(timeline.lastMinute('crm')).toEqual({ delivered: 94, failedAttempts: 6 });
    expect(timeline.lastMinute('other')).toEqual({ delivered: 0, failedAttempts: 0 });
    clock.advance(20_000);
    expect(timeline.lastMinute('crm')).toEqual({ delivered: 0, failedAttempts: 6 });
  });

  it('has what waits at the end of each step, also when nothing happens', () => {
    const { clock, timeline, waiting } = made();
    waiting.set('crm', 4).set('mail', 1);
    clock.advance(20_000);
    waiting.set('crm', 1);
    clock.advance(10_000);
    expect(timeline.read({}).waiting).toEqual([0, 5, 5, 2]);
    expect(timeline.read({ destination: 'crm' }).waiting).toEqual([0, 4, 4, 1]);
  });

  it('is kept for an hour in steps of ten seconds, and for a day in steps of five minutes', () => {
    const { clock, timeline } = made();
    for (let minute = 0; minute < 26 * 60; minute++) {
      timeline.add('received', undefined);
      clock.advance(60_000);
    }
    const hour = timeline.read({ span: '1h' });
    const day = timeline.read({ span: '24h' });
    expect([hour.received.length, sum(hour.received)]).toEqual([361, 60]);
    expect([day.stepSeconds, day.received.length, sum(day.received)]).toEqual([300, 289, 24 * 60]);
    expect(timeline.read({ span: '15m' }).received).toEqual(hour.received.slice(-91));
  });

  it('shows nothing of before a silence that is longer than what is kept', () => {
    const { clock, timeline } = made();
    timeline.add('received', undefined, 7);
    clock.advance(3 * 3_600_000);
    expect(sum(timeline.read({ span: '1h' }).received)).toBe(0);
    expect(sum(timeline.read({ span: '24h' }).received)).toBe(7);
  });

  it.each([-86_400_000, 5 * 86_400_000])(
    'loses and repeats nothing when the clock is set by %d ms, and moves with it',
    (byMs) => {
      const { clock, timeline } = made();
      timeline.add('received', undefined, 3);
      clock.advance(10_000);
      clock.set(byMs);
      timeline.add('received', undefined, 2);
      clock.advance(10_000);
      const { received, from } = timeline.read({});
      expect(received).toEqual([3, 2, 0]);
      expect(Date.parse(from)).toBe(startedAt - 3_000 + byMs);
    },
  );

  it('is continued from the last step that a page has', () => {
    const { clock, timeline } = made();
    timeline.add('received', undefined, 1);
    clock.advance(10_000);
    const { next } = timeline.read({});
    timeline.add('received', undefined, 2);
    clock.advance(10_000);
    timeline.add('received', undefined, 3);
    const rest = timeline.read({ from: next });
    expect([rest.first, rest.received]).toEqual([next, [2, 3]]);
    expect(timeline.read({ from: next + 1000 }).received).toEqual([3]);
  });

  it('of a removed destination is dropped after a day', () => {
    const { clock, timeline, waiting } = made();
    waiting.set('crm', 1);
    timeline.add('delivered', 'crm');
    clock.advance(60_000);
    waiting.delete('crm');
    clock.advance(23 * 3_600_000);
    expect(sum(timeline.read({ destination: 'crm', span: '24h' }).delivered)).toBe(1);
    expect(timeline.read({ destination: 'crm' }).waiting.at(-1)).toBe(0);
    clock.advance(3 * 3_600_000);
    const { waiting: waits, delivered } = timeline.read({ destination: 'crm', span: '24h' });
    expect([sum(waits), sum(delivered)]).toEqual([0, 0]);
  });

  it('sets no timer that keeps the process alive, and none after its end', () => {
    const { clock, timeline } = made();
    expect(clock.waits).toEqual([]);
    timeline.end();
    expect(clock.backgroundWaits).toEqual([]);
  });
});
