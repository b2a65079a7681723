import { accessSync, constants, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { reasonOf } from '../../../sources/input.js';
import { differenceOf } from '../file-changes.js';
import { modifiedMsOf } from '../make-plan.js';
import type { PlannedFile } from '../plan.js';
import { localPath, type Root } from './file-roots.js';

/** A file of the plan cannot be used by this worker, or is not the planned one any more; without its path. */
export class FileProblem extends Error {}

/**
 * The path of a planned file here.
 * @throws FileProblem when it is missing, or its size or time of modification differ from the plan's
 */
export function unchangedPath(file: PlannedFile, roots: readonly Root[]): string {
  const path = localPath(file.path, roots);
  const { size, mtimeMs } = look(path);
  const difference = differenceOf(file, { size, modifiedMs: modifiedMsOf({ mtimeMs }) });
  if (difference === undefined) return path;
  throw new FileProblem(
    `${difference}: it is not the file that was planned; restore it, then use evfwd runs verify`,
  );
}

function look(path: string): { readonly size: number; readonly mtimeMs: number } {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path);
  } catch (cause) {
    throw new FileProblem(`${reasonOf(cause)}; then use evfwd runs verify`, { cause });
  }
}

/** The first file that cannot be read here, and how many there are. */
export interface MissingFiles {
  readonly path: string;
  readonly reason: string;
  readonly count: number;
}

/**
 * Which files of a plan this worker cannot read; undefined if it can read all. One is looked at after the
 * other, since a volume may be slow and has others to serve.
 */
export async function missingFiles(
  files: readonly PlannedFile[],
  roots: readonly Root[],
): Promise<MissingFiles | undefined> {
  let first: Omit<MissingFiles, 'count'> | undefined;
  let missing = 0;
  for (const { path: planned } of files) {
    const path = localPath(planned, roots);
    try {
      await access(path, constants.R_OK);
    } catch (error) {
      missing++;
      first ??= { path, reason: reasonOf(error) };
    }
  }
  return first && { ...first, count: missing };
}
