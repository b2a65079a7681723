import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock } from '../../storage/lock.js';

/** The parts of a state in its directory. The database comes last: without it there is no state. */
const parts = ['.dead-letter.ndjson', '.db-wal', '.db-shm', '.db'];

/**
 * Renames the state that an earlier version kept for an import with `--limit`, which was part of its name
 * then, unless there is a state of the new name. Returns whether it did.
 */
export function takeOver(folder: string, earlier: string, name: string): boolean {
  const exists = (state: string, part: string): boolean => existsSync(join(folder, state + part));
  if (exists(name, '.db') || !exists(earlier, '.db')) return false;
  const lock = acquireLock(join(folder, `${earlier}.lock`));
  try {
    for (const part of parts.filter((each) => exists(earlier, each))) {
      renameSync(join(folder, earlier + part), join(folder, name + part));
    }
    return true;
  } finally {
    lock.release();
  }
}
