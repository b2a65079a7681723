import { describe, expect, it } from 'vitest';
import { placeOf, rowAt, rowFrom, rowsBetween } from '../../../src/inspector/list/place.js';
import { RequestLog } from '../../../src/inspector/receive/request-log.js';
import { row, rows, sequencesOf } from '../rows.js';

const log = new RequestLog(100);
log.filter(({ sequence }) => sequence !== 3);
log.add(rows(5));

describe.each([
  ['newest-first', [5, 4, 2, 1]],
  ['oldest-first', [1, 2, 4, 5]],
] as const)('a list with the %s', (order, sequences) => {
  it('has each request at its place', () => {
    expect(sequences.map((_, place) => rowAt(log, order, place)!.sequence)).toEqual(sequences);
    expect(sequences.map((sequence) => placeOf(log, order, row(sequence)))).toEqual([0, 1, 2, 3]);
    expect([rowAt(log, order, -1), rowAt(log, order, 4)]).toEqual([undefined, undefined]);
  });

  it.each([
    [0, 1, 1],
    [1, -1, 0],
    [0, -1, 0],
    [3, 1, 3],
    [1, Infinity, 3],
    [2, -Infinity, 0],
  ])('goes from place %i by %d to place %i', (from, by, to) => {
    expect(rowFrom(log, order, rowAt(log, order, from), by)).toBe(rowAt(log, order, to));
  });

  it('begins at the top', () => {
    expect(rowFrom(log, order, undefined, 1)).toBe(rowAt(log, order, 0));
  });
});

it('finds the requests between two, whichever is named first', () => {
  for (const [one, other] of [
    [2, 5],
    [5, 2],
  ] as const) {
    expect(sequencesOf(rowsBetween(log, row(one), row(other)))).toEqual([2, 4, 5]);
  }
});

it('has nowhere to go in an empty list', () => {
  expect(rowFrom(new RequestLog(1), 'newest-first', undefined, 1)).toBeUndefined();
});
