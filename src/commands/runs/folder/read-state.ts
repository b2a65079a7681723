import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../errors.js';
import { readAt } from '../../../storage/read-at.js';
import { openDatabase } from '../../../storage/sqlite.js';
import type { StateDisk } from '../../../storage/state-file.js';

/**
 * Reads a state file that a process may use, without a lock on it and without changing it. Returns undefined for an
 * empty file, as a run leaves it that is killed at once.
 */
export async function readState<T>(
  path: string,
  read: (disk: StateDisk) => T,
): Promise<T | undefined> {
  const before = contentOf(path);
  const [outcome] = await Promise.allSettled([readCopy(path, read)]);
  if (contentOf(path) !== before) {
    throw new UsageError(`${path}: changes while it is read; run again`, 'state_changes');
  }
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** A copy: to read the log of a database, SQLite would lock it and write an index beside it. */
async function readCopy<T>(path: string, read: (disk: StateDisk) => T): Promise<T | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'evfwd-'));
  try {
    const copy = join(folder, 'state.db');
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    if (logSize(path) > 0) copyFileSync(path + logEnd, copy + logEnd);
    else if (statSync(copy).size === 0) return undefined;
    const database = await openDatabase(copy);
    try {
      return read({ database, isRemoved: () => false });
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const logEnd = '-wal';

/** Of the write-ahead log; https://sqlite.org/walformat.html */
const logHeaderBytes = 32;

/** Another text when commits were copied to the file or its log was begun again; appended commits change nothing. */
function contentOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  const header = logSize(path) > 0 ? readAt(path + logEnd, 0, logHeaderBytes).toString('hex') : '';
  return `${size} ${mtimeMs} ${header}`;
}

function logSize(path: string): number {
  return statSync(path + logEnd, { throwIfNoEntry: false })?.size ?? 0;
}
