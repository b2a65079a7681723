import { describe, expect, it } from 'vitest';
import { listed } from '../../../../pages/listen/list/place.js';
import { RequestLog } from '../../../../pages/listen/receive/request-log.js';
import { rowFrom, rowsBetween } from '../../../../pages/shared/list/rows.js';
import { row, rows, sequencesOf } from '../rows.js';

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
    expect(sequences.map((sequence) => list.placeOf(row(sequence)))).toEqual([0, 1, 2, 3]);
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

  it('begins at the top', () => {
    expect(rowFrom(list, undefined, 1)).toBe(list.at(0));
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
  expect(empty.placeOf(row(1))).toBeUndefined();
});
