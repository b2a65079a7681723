import { expect, it } from 'vitest';
import { chunksOf } from '../../src/collections/chunks.js';

it.each([
  [[], []],
  [[1], [[1]]],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3, 4, 5],
    [[1, 2], [3, 4], [5]],
  ],
])('cuts %j into parts of two', (items, parts) => {
  expect([...chunksOf(new Set(items), 2)]).toEqual(parts);
});
