import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenRun } from '../../src/ledger/progress.js';
import { readStanding, writeStanding, type Standing } from '../../src/threads/standing.js';
import { standingOf } from './commits.js';

const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const taken = fc.record({ file: number, line: number, offset: number });
/** As they are stored: what is absent at the end is not there. */
const run = fc.oneof(
  fc.tuple(number, number, number, number),
  fc.tuple(number, number, number, number, fc.integer({ min: 1, max: 9 })),
  fc.tuple(number, number, number, number, number, fc.constant(true)),
) as fc.Arbitrary<OpenRun>;

const standing: fc.Arbitrary<Standing> = fc.record({
  place: fc.record({
    taken: fc.option(taken, { nil: undefined }),
    open: fc.array(run, { maxLength: 20 }),
  }),
  counts: fc.record({ delivered: number, rejected: number, failed: number, skipped: number }),
  bytes: number,
  rows: number,
  doneRanges: number,
  waiting: number,
  retries: number,
  messages: number,
});

describe('the standing of a thread', () => {
  it('is read from numbers as it was written, whatever stood there before', () => {
    fc.assert(
      fc.property(standing, number, (given, before) => {
        const list = new Float64Array(300).fill(before);
        expect(writeStanding(given, list)).toBe(true);
        expect(readStanding(list)).toEqual(given);
      }),
    );
  });

  it('that is too long for the list is not written', () => {
    const open = Array.from({ length: 10 }, (_, i): OpenRun => [0, i, i, 1]);
    const given = standingOf({ place: { taken: undefined, open } });
    expect(writeStanding(given, new Float64Array(73))).toBe(false);
    expect(writeStanding(given, new Float64Array(74))).toBe(true);
  });
});
