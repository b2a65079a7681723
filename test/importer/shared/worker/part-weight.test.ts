import { expect, it } from 'vitest';
import type { Plan, PlannedFile } from '../../../../src/importer/shared/plan.js';
import { mostParts, partWeight } from '../../../../src/importer/shared/worker/part-weight.js';
import { planWith, webhookTo } from '../../../helpers/planned-run.js';

const KiB = 1024;

it.each<[string, Partial<PlannedFile>, number | null, number]>([
  ['one', { size: 8_192 * KiB }, 8_192 * KiB, 1],
  ['half with half as many bytes as a whole one', { size: 100 * KiB }, 100 * KiB, 0.5],
  ['a sixteenth at least', { size: 10 }, 10, 1 / 16],
  ['much as its uncompressed size says', { size: 20 * KiB, isWhole: true }, null, 0.8],
  ['one if it is Parquet', { size: 10 * KiB, rowGroups: [100] }, 100, 1],
])('a part counts as %s', (_title, file, to, expected) => {
  const planned = { path: '/a', size: 0, modifiedMs: 0, isWhole: false, ...file };
  const plan = planWith([planned], webhookTo(['http://127.0.0.1:9/']));
  expect(partWeight({ file: 0, from: 0, to }, plan)).toBe(expected);
});

it('counts a part of a collector as a whole one', () => {
  const planned = { path: '/a', size: 10, modifiedMs: 0, isWhole: false };
  const target = { kind: 'collector' } as Plan['target'];
  expect(partWeight({ file: 0, from: 0, to: 10 }, planWith([planned], target))).toBe(1);
});

it.each<[string, number | null, number]>([
  ['as many as weigh no more than those allowed, without a rate', null, Infinity],
  ['those that are allowed, at a low rate', 5, 2],
  ['those that wait for their turns within 0.2 s', 100, 20],
])('the most parts in hand are %s', (_title, rate, expected) => {
  expect(mostParts({ rate }, 2)).toBe(expected);
});
