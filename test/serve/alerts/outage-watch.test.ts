import { describe, expect, it } from 'vitest';
import { OutageWatch, type DestinationSample } from '../../../src/serve/alerts/outage-watch.js';

const minute = 60;
const after15Minutes = 15 * minute * 1000;

/** A destination that is looked at once a second. */
class Looked {
  readonly watch = new OutageWatch();
  readonly reading = { isEnabled: true, waiting: 0, delivered: 0, failed: 0 };
  seconds = 0;

  /** Looks so many times; returns the states that it went through. */
  for(seconds: number, change: Partial<DestinationSample> = {}, afterMs = after15Minutes) {
    Object.assign(this.reading, change);
    const states = new Set<string | undefined>();
    for (let i = 0; i < seconds; i++) {
      this.watch.observe({ ...this.reading }, afterMs, ++this.seconds * 1000);
      states.add(this.watch.state);
    }
    return [...states];
  }
}

describe('a destination', () => {
  it('is down when nothing was delivered for the time, while something waited, since that began', () => {
    const looked = new Looked();
    expect(looked.for(hours(3))).toEqual([undefined]);
    const begun = looked.seconds + 1;
    expect(looked.for(15 * minute, { waiting: 3 })).toEqual([undefined]);
    expect(looked.for(1)).toEqual(['down']);
    expect(looked.watch.since).toBe(begun * 1000);
    expect(looked.for(hours(240))).toEqual(['down']);
  });

  it('is up as long as a single event is delivered within the time', () => {
    const looked = new Looked();
    looked.for(1, { waiting: 10_000 });
    for (let delivered = 1; delivered < 20; delivered++) {
      expect(looked.for(14 * minute, { delivered, failed: 100 * delivered })).toEqual(['up']);
    }
  });

  it('is back at its first delivery, which says how long it was down', () => {
    const looked = new Looked();
    looked.for(16 * minute, { waiting: 1 });
    expect(looked.for(1, { delivered: 1 })).toEqual(['up']);
    expect(looked.watch.wasDownForMs).toBe(16 * minute * 1000);
    expect(looked.watch.since).toBe(looked.seconds * 1000);
  });

  it('is not down when nothing waits anymore: what failed at once is a dead letter', () => {
    const looked = new Looked();
    looked.for(5, { waiting: 1 });
    expect(looked.for(hours(1), { waiting: 0, failed: 1 })).toEqual([undefined]);
    expect(looked.for(5, { waiting: 1 })).toEqual([undefined]);
    expect(looked.for(hours(1), { waiting: 0, failed: 2 })).toEqual([undefined]);
  });

  it('is down when each of its events fails at once for the time, with nothing to be seen in between', () => {
    const looked = new Looked();
    const states: unknown[] = [];
    for (let failed = 1; failed <= 47; failed++) {
      states.push(...looked.for(1, { failed }), ...looked.for(19));
    }
    expect(states.indexOf('down')).toBe(states.length - 2);
    expect(looked.watch.since).toBe(21_000);
  });

  it('is not down for the time in which it was off, and has its whole time when it is on again', () => {
    const looked = new Looked();
    looked.for(14 * minute, { waiting: 5 });
    expect(looked.for(hours(240), { isEnabled: false })).toEqual([undefined]);
    expect(looked.for(15 * minute, { isEnabled: true })).toEqual([undefined]);
    expect(looked.for(1)).toEqual(['down']);
    expect(looked.for(1, { isEnabled: false })).toEqual([undefined]);
  });

  it('is not down because of a time in which the process did not run, or could send nothing', () => {
    const looked = new Looked();
    looked.for(minute, { waiting: 5 });
    looked.seconds += hours(9);
    expect(looked.for(13 * minute)).toEqual([undefined]);
    for (let i = 0; i < hours(2); i++) looked.watch.skip(++looked.seconds * 1000);
    expect(looked.for(50)).toEqual([undefined]);
    expect(looked.for(2)).toContain('down');
  });

  it('has the time of another setting at once', () => {
    const looked = new Looked();
    expect(looked.for(5 * minute, { waiting: 5 })).toEqual([undefined]);
    expect(looked.for(1, {}, minute * 1000)).toEqual(['down']);
  });
});

function hours(count: number): number {
  return count * 60 * minute;
}
