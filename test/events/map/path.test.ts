import { expect, it } from 'vitest';
import { isPath, pathNames, restNames } from '../../../src/events/map/path.js';

it.each([
  ['a', ['a']],
  ['a.b.c', ['a', 'b', 'c']],
  ['a\\.b.c', ['a.b', 'c']],
  ['a\\\\.b', ['a\\', 'b']],
  ['$device id', ['$device id']],
])('%s names %j', (path, names) => {
  expect(pathNames(path)).toEqual(names);
  expect(isPath(path)).toBe(true);
});

it.each([
  ['*', []],
  ['a.*', ['a']],
  ['a\\.b.*', ['a.b']],
  ['a', undefined],
  ['\\*', undefined],
  ['a\\.*', undefined],
])('%s has the other members of %j', (path, names) => {
  expect(restNames(path)).toEqual(names);
});

it.each(['', '.a', 'a.', 'a..b', 'a\\', '.*'])('%j is no path', (path) => {
  expect(isPath(path)).toBe(false);
});
