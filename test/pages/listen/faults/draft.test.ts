import { describe, expect, it } from 'vitest';
import {
  planErrorOf,
  draftOf,
  isSamePlan,
  moved,
  newField,
  planOf,
} from '../../../../pages/listen/faults/draft.js';
import { parseFault } from '../../../../src/listen/fault.js';

const plan = { faults: ['status=503,rate=10%', 'hang', 'reset'], seed: 7 };

/** What the receiver really says against a fault. */
function messageOf(fault: string): string {
  try {
    parseFault(fault);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`it is no wrong fault: ${fault}`);
}

describe('a draft', () => {
  it('says the same as its plan until it is changed', () => {
    const draft = draftOf(plan);
    expect(planOf(draft)).toEqual(plan);
    expect(isSamePlan(draft, plan)).toBe(true);
    expect(isSamePlan({ ...draft, seed: '8' }, plan)).toBe(false);
    expect(isSamePlan({ ...draft, fields: moved(draft.fields, 0, 1) }, plan)).toBe(false);
  });

  it('leaves out fields that are empty', () => {
    const draft = { ...draftOf(plan), fields: [newField('  '), newField(' hang ')] };
    expect(planOf(draft).faults).toEqual(['hang']);
  });

  it.each([
    [0, 1, ['hang', 'status=503,rate=10%', 'reset']],
    [2, -1, ['status=503,rate=10%', 'reset', 'hang']],
  ] as const)('moves fault %i by %i', (from, by, faults) => {
    expect(moved(draftOf(plan).fields, from, by).map(({ text }) => text)).toEqual(faults);
  });
});

describe('planErrorOf', () => {
  it.each([
    ['status=9', 'status must be a number from 200 to 599'],
    ['hang,hang', 'hang is duplicated; keep one'],
    [' path="x" ', 'path must begin with / and have no query, like path=/hook'],
  ])('finds the field of %j', (fault, message) => {
    const draft = draftOf({ faults: ['status', fault, 'status=99'], seed: 0 });
    const [, field] = draft.fields;
    expect(planErrorOf(draft, messageOf(fault))).toEqual({ key: field!.key, message });
  });

  it('lays other messages to the whole plan', () => {
    const message = 'seed must be an integer';
    expect(planErrorOf(draftOf(plan), message)).toEqual({ key: undefined, message });
  });
});
