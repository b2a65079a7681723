import type { RangeItem } from './item.js';
import type { Plan, PlannedFile } from './plan.js';

const mebibyte = 2 ** 20;
const rangeBytes = 8 * mebibyte;
/** For so many bytes in all that smaller ranges would fill the server. */
const largeBytes = 64 * mebibyte;
const largeFrom = 10 * 10 ** 12;

/**
 * All ranges of a plan with the ids of their jobs, `<file>-<from>`; the same plan has the same ones.
 */
export function* rangesOf(plan: Plan): Generator<readonly [id: string, range: RangeItem]> {
  const step = stepOf(plan.files);
  for (const [index, file] of plan.files.entries()) {
    for (const range of rangesOfFile(file, index, plan.isOrdered, step)) {
      yield [`${index}-${range.from}`, range];
    }
  }
}

/** The number of ranges, without making them. */
export function countRanges(plan: Plan): number {
  const step = stepOf(plan.files);
  const ofFile = (file: PlannedFile): number => {
    if (file.size === 0) return 0;
    if (isWhole(file, plan.isOrdered)) return 1;
    return file.rowGroups?.filter((rows) => rows > 0).length ?? Math.ceil(file.size / step);
  };
  return plan.files.reduce((sum, file) => sum + ofFile(file), 0);
}

/** Bytes of the ranges that files are cut into. */
export function rangeSizeOf({ files }: Pick<Plan, 'files'>): number {
  return stepOf(files);
}

function* rangesOfFile(
  file: PlannedFile,
  index: number,
  isOrdered: boolean,
  step: number,
): Generator<RangeItem> {
  if (file.size === 0) return;
  if (isWhole(file, isOrdered)) {
    yield { file: index, from: 0, to: null };
    return;
  }
  if (file.rowGroups) {
    let from = 0;
    for (const rows of file.rowGroups) {
      if (rows > 0) yield { file: index, from, to: from + rows };
      from += rows;
    }
    return;
  }
  for (let from = 0; from < file.size; from += step) {
    yield { file: index, from, to: Math.min(from + step, file.size) };
  }
}

function isWhole(file: PlannedFile, isOrdered: boolean): boolean {
  return file.isWhole || isOrdered;
}

function stepOf(files: readonly PlannedFile[]): number {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > largeFrom ? largeBytes : rangeBytes;
}
