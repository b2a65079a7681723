import type { Rest } from '../sources/read.js';
import type { PendingRange, Checkpoint } from './progress.js';

/** What earlier runs have left of a file, by its index; undefined for the whole file. */
export function restOf(checkpoint: Checkpoint, file: number): Rest | undefined {
  const last = checkpoint.last.get(file);
  if (!last) return undefined;
  const open = checkpoint.open.filter(([index]) => index === file);
  const first = open.reduce(earlier, [file, last.line, last.offset, 0]);
  return {
    start: { line: first[1], offset: first[2] },
    // The last line may have been incomplete then, and be longer now.
    takes: (line, length) =>
      line > last.line || isOpen(open, line) || (line === last.line && length !== last.length),
  };
}

function earlier(a: PendingRange, b: PendingRange): PendingRange {
  return b[2] < a[2] ? b : a;
}

function isOpen(open: readonly PendingRange[], line: number): boolean {
  return open.some(([, first, , count, done = 0]) => line >= first + done && line < first + count);
}
