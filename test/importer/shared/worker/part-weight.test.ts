import { expect, it } from 'vitest';
import type { PlannedFile } from '../../../../src/importer/shared/plan.js';
import { partWeight } from '../../../../src/importer/shared/worker/part-weight.js';
import { planWith, webhookTo } from '../../../helpers/planned-run.js';

const KiB = 1024;

it.each<[string, Partial<PlannedFile>, number | null, number]>([
  ['whole', { size: 8_192 * KiB }, 8_192 * KiB, 1],
  ['half of one with as many events as may be repeated', { size: 100 * KiB }, 100 * KiB, 0.5],
  ['not less than a sixteenth', { size: 10 }, 10, 1 / 16],
  ['by its uncompressed size', { size: 20 * KiB, isWhole: true }, null, 0.8],
  ['whole of Parquet, whose ranges are rows', { size: 10 * KiB, rowGroups: [100] }, 100, 1],
])('a part counts %s', (_title, file, to, expected) => {
  const planned = { path: '/a', size: 0, modifiedMs: 0, isWhole: false, ...file };
  const plan = planWith([planned], webhookTo(['http://127.0.0.1:9/']));
  expect(partWeight({ file: 0, from: 0, to }, plan)).toBe(expected);
});

it('counts a part whole where it has its share of the requests in flight', () => {
  const planned = { path: '/a', size: 10, modifiedMs: 0, isWhole: false };
  const target = { ...planWith([], webhookTo([])).target, kind: 'collector' } as never;
  expect(partWeight({ file: 0, from: 0, to: 10 }, planWith([planned], target))).toBe(1);
});
