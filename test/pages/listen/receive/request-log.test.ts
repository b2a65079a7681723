import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listed, RequestLog, Tail } from '../../../../pages/listen/receive/request-log.js';
import { rowFrom, rowsBetween } from '../../../../pages/shared/list/rows.js';
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

  it('lists requests in the order of arrival, whenever they were responded to', () => {
    const log = new RequestLog(4);
    log.filter(() => true, 3);
    const { receivedAt } = row(2);
    log.add([row(1), row(3), row(4), row(5, { receivedAt }), row(6)]);
    expect(sequencesOf(log.kept.toArray())).toEqual([5, 3, 4, 6]);
    expect(sequencesOf(log.matching.toArray())).toEqual([3]);
    log.decide(6);
    expect(sequencesOf(log.matching.toArray())).toEqual([5, 3, 4, 6]);
    expect(log.indexOf(row(5, { receivedAt }))).toBe(0);
    log.add([row(7, { receivedAt })]);
    expect(sequencesOf(log.kept.toArray())).toEqual([7, 3, 4, 6]);
    log.decide(7);
    expect(sequencesOf(log.matching.toArray())).toEqual([7, 3, 4, 6]);
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
    expect([2, 3, 4, 6, 7].map((sequence) => log.indexOf(row(sequence)))).toEqual([0, 1, 1, 2, 3]);
  });

  it('counts schemes, reasons, duplicates and forwarded requests for as long as they are kept', () => {
    const log = new RequestLog(2);
    const app = { url: 'http://localhost:3000/', status: 200, durationMs: 1, error: null };
    const seen = () => {
      const { schemes, reasons, duplicates, forwarded } = log.occurring;
      return [schemes.values(), reasons.values(), duplicates.size, forwarded.values()];
    };
    log.add([row(1, { scheme: 'stripe', reason: 'expired', isDuplicate: true, forwarded: app })]);
    log.add([row(2, { scheme: null })]);
    expect(seen()).toEqual([['stripe'], ['expired'], 1, ['200 ', null]]);
    log.add([row(3)]);
    expect(seen()).toEqual([['x-signature'], [], 0, [null]]);
    log.clear();
    expect(seen()).toEqual([[], [], 0, []]);
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

const log = new RequestLog(100);
log.filter(({ sequence }) => sequence !== 3);
log.add(rows(5));

describe.each([
  ['newest-first', [5, 4, 2, 1]],
  ['oldest-first', [1, 2, 4, 5]],
] as const)('a list with the %s', (order, sequences) => {
  const list = listed(log, order);

  it('has each request at its place', () => {
    expect(sequences.map((_, place) => list.at(place)!.sequence)).toEqual(sequences);
    expect(sequences.map((sequence) => list.indexOf(row(sequence)))).toEqual([0, 1, 2, 3]);
    expect([list.at(-1), list.at(4)]).toEqual([undefined, undefined]);
  });

  it.each([
    [0, 1, 1],
    [1, -1, 0],
    [0, -1, 0],
    [3, 1, 3],
    [1, Infinity, 3],
    [2, -Infinity, 0],
  ])('goes from place %i by %d to place %i', (from, by, to) => {
    expect(rowFrom(list, list.at(from), by)).toBe(list.at(to));
  });

  it('begins at the top, or at the end', () => {
    expect(rowFrom(list, undefined, 1)).toBe(list.at(0));
    expect(rowFrom(list, undefined, -1)).toBe(list.at(0));
    expect(rowFrom(list, undefined, Infinity)).toBe(list.at(list.length - 1));
  });

  it('finds the requests between two, whichever is named first', () => {
    for (const [one, other] of [
      [2, 5],
      [5, 2],
    ] as const) {
      const between = sequencesOf(rowsBetween(list, row(one), row(other)));
      expect(between).toEqual(sequences.filter((sequence) => sequence >= 2));
    }
  });
});

it('has nowhere to go in an empty list', () => {
  const empty = listed(new RequestLog(1), 'newest-first');
  expect(rowFrom(empty, undefined, 1)).toBeUndefined();
  expect(empty.indexOf(row(1))).toBeUndefined();
});

it('is a list that is added to at one end and dropped from at the other', () => {
  const step = fc.oneof(
    fc.record({ push: fc.integer() }),
    fc.record({ drop: fc.integer({ min: 0, max: 5 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const tail = new Tail<number>();
      let model: number[] = [];
      for (const action of steps) {
        if ('push' in action) {
          tail.push(action.push);
          model.push(action.push);
        } else {
          tail.drop(action.drop);
          model = model.slice(action.drop);
        }
        expect(tail.toArray()).toEqual(model);
        expect(tail.length).toBe(model.length);
        expect(tail.at(0)).toBe(model[0]);
        expect(tail.at(model.length - 1)).toBe(model.at(-1));
        expect(tail.at(-1)).toBeUndefined();
        expect(tail.at(model.length)).toBeUndefined();
      }
    }),
  );
});
