import { setImmediate } from 'node:timers/promises';
import type { StateFile } from '../../../storage/state-file.js';

/** Overwritten at once: a few milliseconds. */
const pagesAtOnce = 512;
/** Of a page, in bytes: the rest is the number of the next one. */
const contentBytes = 4_092;
/**
 * A row keeps between 489 and 4,061 bytes beside its pages, where that makes their number whole. Otherwise it keeps 489,
 * and the end of its last page is not written.
 */
const besidePages = 512;

/** Above this many, 256 MB, all of them are overwritten for what has expired once a day at most: that takes seconds. */
const manyPages = 65_536;
const dayMs = 24 * 60 * 60 * 1000;

/** Of as many pages each; their pages are read to be freed again, a few milliseconds of them at once. */
const rowsAtOnce = 8;

/**
 * Overwrites what deleted rows have left in the file: SQLite only marks their pages as free. What stays within used pages
 * is cleared by `secure_delete` with each deletion. Resolves to whether all is done and durable.
 *
 * @throws StateError when it cannot be written; it can be called again
 */
export async function overwriteFreedPages(
  file: StateFile,
  mayContinue: () => boolean,
): Promise<boolean> {
  // An earlier process may have left some.
  await clear(file, mayContinue);
  try {
    for (;;) {
      const pages = Math.min(freePages(file), pagesAtOnce);
      if (pages > 0) {
        if (!mayContinue()) return false;
        // In a transaction of its own: pages that are freed again in the same one are not written.
        file.transaction(() => file.run(insert, pages * contentBytes + besidePages));
        file.makeRoom();
      }
      // Under load there are new ones after each pause, which would have no end.
      if (freePages(file) === 0) return true;
      await setImmediate();
    }
  } finally {
    await clear(file, mayContinue);
  }
}

/** Frees the pages again; all at once where it may not continue later. */
async function clear(file: StateFile, mayContinue: () => boolean): Promise<void> {
  for (;;) {
    let rows = 0;
    const limit = mayContinue() ? rowsAtOnce : -1;
    file.transaction(() => (rows = file.run(remove, limit)));
    if (rows < rowsAtOnce || limit < 0) break;
    await setImmediate();
  }
  file.makeRoom();
}

/** Whether freed pages should be overwritten again, so many milliseconds after the last time. */
export function isOverwriteDue(file: StateFile, sinceMs: number): boolean {
  return sinceMs >= dayMs || freePages(file) <= manyPages;
}

function freePages(file: StateFile): number {
  return Number(file.get('PRAGMA freelist_count')!.freelist_count);
}

const insert = 'INSERT INTO scrub (bytes) VALUES (zeroblob(?))';
const remove = 'DELETE FROM scrub WHERE rowid IN (SELECT rowid FROM scrub LIMIT ?)';
