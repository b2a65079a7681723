import { count, countOf } from '../../output/numbers.js';
import type { PlannedFile } from './plan.js';

/** What is compared of a file: copies on several machines have this in common. */
export type FileState = Pick<PlannedFile, 'size' | 'modifiedMs' | 'version'>;

/** How a file differs from the planned one, as the rest of a sentence; undefined if it is the same. */
export function differenceOf(planned: FileState, now: FileState): string | undefined {
  if (now.size !== planned.size) {
    return `has ${countOf(now.size, 'byte')}, not ${count(planned.size)}`;
  }
  if (now.version !== planned.version && opaque(now.version) !== opaque(planned.version))
    return 'is another version, by its ETag or date';
  if (now.modifiedMs === planned.modifiedMs) return undefined;
  return `was modified ${dateText(now.modifiedMs)}, not ${dateText(planned.modifiedMs)}`;
}

export interface FileChange {
  readonly path: string;
  readonly difference: string;
}

/** The files that are not the planned ones any more; both lists have the same paths. */
export function changedFiles(
  planned: readonly PlannedFile[],
  now: readonly PlannedFile[],
): FileChange[] {
  return planned.flatMap((file, i) => {
    const difference = differenceOf(file, now[i]!);
    return difference === undefined ? [] : [{ path: file.path, difference }];
  });
}

function dateText(ms: number): string {
  return new Date(ms).toISOString();
}

/** An ETag without its strength and quotes, which lists of objects leave out in places. */
function opaque(version: string | undefined): string | undefined {
  return version?.replace(/^W\//, '').replace(/^"(.*)"$/s, '$1');
}
