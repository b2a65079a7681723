import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../../../pages/listen/receive/request-log.js';
import { row, rows, sequencesOf } from '../rows.js';

const isEven = ({ sequence }: { sequence: number }): boolean => sequence % 2 === 0;

describe('RequestLog', () => {
  it('keeps the newest requests', () => {
    const log = new RequestLog(3);
    log.add(rows(5));
    expect(sequencesOf(log.kept.toArray())).toEqual([3, 4, 5]);
    expect(sequencesOf(log.matching.toArray())).toEqual([3, 4, 5]);
  });

  it('filters what it has and what comes', () => {
    const log = new RequestLog(10);
    log.add(rows(4));
    log.filter(isEven);
    log.add(rows(3, 5));
    expect(sequencesOf(log.matching.toArray())).toEqual([2, 4, 6]);
  });

  it('matches what a filter over all that is kept would find, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (sizes, most) => {
          const log = new RequestLog(most);
          log.filter(isEven);
          let next = 1;
          for (const size of sizes) {
            log.add(rows(size, next));
            next += size;
            expect(log.matching.toArray()).toEqual(log.kept.toArray().filter(isEven));
            expect(log.kept.length).toBe(Math.min(next - 1, most));
            expect(log.appended - log.dropped).toBe(log.matching.length);
          }
        },
      ),
    );
  });

  it('lists what comes only once the filter can decide about it, in its order', () => {
    const log = new RequestLog(10);
    log.add(rows(4));
    log.filter(isEven, 4);
    log.add(rows(4, 5));
    expect(sequencesOf(log.matching.toArray())).toEqual([2, 4]);
    log.decide(6);
    log.add(rows(2, 9));
    expect(sequencesOf(log.matching.toArray())).toEqual([2, 4, 6]);
    log.decide(10);
    expect(sequencesOf(log.matching.toArray())).toEqual([2, 4, 6, 8, 10]);
  });

  it('counts the paths without their queries, and the faults', () => {
    const log = new RequestLog(2);
    log.add([row(1, { path: '/a?1', fault: 'hang' }), row(2, { path: '/a?2' })]);
    expect([log.occurring.paths.values(), log.occurring.faults.size]).toEqual([['/a'], 1]);
    log.add([row(3, { path: '/b' })]);
    expect([log.occurring.paths.values(), log.occurring.faults.size]).toEqual([['/a', '/b'], 0]);
  });

  it('knows where a request stands, or would', () => {
    const log = new RequestLog(10);
    log.filter(isEven);
    log.add(rows(6));
    expect([2, 3, 4, 6, 7].map((sequence) => log.indexOf(sequence))).toEqual([0, 1, 1, 2, 3]);
  });

  it('counts schemes, reasons, duplicates and forwarded requests for as long as they are kept', () => {
    const log = new RequestLog(2);
    const app = { url: 'http://localhost:3000/', status: 200, durationMs: 1, error: null };
    const seen = () => {
      const { schemes, reasons, duplicates, forwarded } = log.occurring;
      return [schemes.values(), reasons.values(), duplicates.size, forwarded.size];
    };
    log.add([row(1, { scheme: 'stripe', reason: 'expired', isDuplicate: true, forwarded: app })]);
    log.add([row(2, { scheme: null })]);
    expect(seen()).toEqual([['stripe'], ['expired'], 1, 1]);
    log.add([row(3)]);
    expect(seen()).toEqual([['x-signature'], [], 0, 0]);
    log.clear();
    expect(seen()).toEqual([[], [], 0, 0]);
  });

  it('lists the types that are kept, those without one last', () => {
    const log = new RequestLog(3);
    log.add([row(1, { type: 'page' }), row(2, { type: null }), row(3, { type: 'alias' })]);
    expect(log.occurring.types).toEqual(['alias', 'page', null]);
    log.add([row(4, { type: 'track' })]);
    expect(log.occurring.types).toEqual(['alias', 'track', null]);
  });

  it('forgets everything', () => {
    const log = new RequestLog(3);
    log.add(rows(3));
    log.clear();
    expect([log.kept.length, log.matching.length, log.occurring.types]).toEqual([0, 0, []]);
  });
});
