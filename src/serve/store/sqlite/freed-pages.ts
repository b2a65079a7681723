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
  const clear = (): void => void file.run('DELETE FROM scrub');
  file.transaction(clear);
  try {
    for (;;) {
      const pages = Math.min(freePages(file), pagesAtOnce);
      if (pages === 0) return true;
      if (!mayContinue()) return false;
      // In a transaction of its own: pages that are freed again in the same one are not written.
      file.transaction(() => file.run(insert, pages * contentBytes + besidePages));
      file.makeRoom();
      await setImmediate();
    }
  } finally {
    file.transaction(clear);
    file.makeRoom();
  }
}

function freePages(file: StateFile): number {
  return Number(file.get('PRAGMA freelist_count')!.freelist_count);
}

const insert = 'INSERT INTO scrub (bytes) VALUES (zeroblob(?))';
