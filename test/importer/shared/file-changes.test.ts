import { describe, expect, it } from 'vitest';
import { changedFiles, differenceOf } from '../../../src/importer/shared/file-changes.js';

const planned = { size: 1_200, modifiedMs: Date.parse('2026-11-22T22:00:00.123Z') };

describe('a file of a plan', () => {
  it('is the same with the same size and time', () => {
    expect(differenceOf(planned, { ...planned })).toBeUndefined();
  });

  it.each([
    ['another size', { size: 1 }, 'has 1 byte, not 1,200'],
    [
      'another size, whatever its time',
      { size: 1_201, modifiedMs: 5 },
      'has 1,201 bytes, not 1,200',
    ],
    [
      'the same size and another time',
      { modifiedMs: planned.modifiedMs + 1 },
      'was modified 2026-11-22T22:00:00.124Z, not 2026-11-22T22:00:00.123Z',
    ],
    [
      'the same size and an earlier time',
      { modifiedMs: 0 },
      'was modified 1970-01-01T00:00:00.000Z, not 2026-11-22T22:00:00.123Z',
    ],
  ])('has changed with %s', (_what, changes, text) => {
    expect(differenceOf(planned, { ...planned, ...changes })).toBe(text);
  });

  it('is compared with the one of the same place in the list', () => {
    const files = ['/a', '/b', '/c'].map((path) => ({ path, isWhole: false, ...planned }));
    const now = files.map((file, i) => (i === 1 ? { ...file, size: 0 } : file));
    expect(changedFiles(files, files)).toEqual([]);
    expect(changedFiles(files, now)).toEqual([
      { path: '/b', difference: 'has 0 bytes, not 1,200' },
    ]);
  });
});
