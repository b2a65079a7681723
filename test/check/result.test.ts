import { describe, expect, it } from 'vitest';
import { type ReportedResult, summaryOf, verdictOf } from '../../src/check/result.js';
import type { Level, Verdict } from '../../src/check/options.js';

function results(...given: [Level, Verdict][]): ReportedResult[] {
  return given.map(([level, verdict]) => ({ level, verdict }) as ReportedResult);
}

describe('the score', () => {
  it.each([
    ['a must counts three, a should one', results(['must', 'pass'], ['should', 'warn']), 75],
    ['it is rounded down', results(['must', 'pass'], ['must', 'pass'], ['must', 'fail']), 66],
    ['a strict warning counts as a failure', results(['must', 'pass'], ['should', 'fail']), 75],
    ['info and na are left out', results(['must', 'pass'], ['info', 'info'], ['must', 'na']), 100],
    ['nothing judged is no score', results(['info', 'info'], ['must', 'na']), null],
  ])('%s', (_title, given, score) => {
    expect(summaryOf(given, true).score).toBe(score);
  });

  it('is null if no valid event was accepted', () => {
    expect(summaryOf(results(['must', 'pass'], ['must', 'fail']), false)).toEqual({
      ...{ pass: 1, warn: 0, fail: 1, na: 0, info: 0 },
      score: null,
    });
  });
});

describe('the score of a run that left open what it had to judge', () => {
  it('is null if nothing failed', () => {
    expect(summaryOf(results(['must', 'pass'], ['must', 'na']), true, true).score).toBeNull();
  });

  it('is a number if something failed', () => {
    expect(summaryOf(results(['must', 'pass'], ['must', 'fail']), true, true).score).toBe(50);
  });
});

describe('a verdict', () => {
  it.each([
    ['passed', 'must', false, 'pass'],
    ['passed', 'info', false, 'info'],
    ['failed', 'must', false, 'fail'],
    ['failed', 'should', false, 'warn'],
    ['failed', 'should', true, 'fail'],
    ['failed', 'info', true, 'info'],
    ['warned', 'must', false, 'warn'],
    ['warned', 'must', true, 'fail'],
    ['inconclusive', 'must', true, 'na'],
    ['notApplicable', 'must', true, 'na'],
  ] as const)('of %s at the level %s, strict %s, is %s', (outcome, level, isStrict, verdict) => {
    expect(verdictOf({ outcome, message: '' }, level, isStrict)).toBe(verdict);
  });
});
