import {
  accessSync,
  closeSync,
  constants,
  openSync,
  realpathSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StateError, UsageError } from '../errors.js';
import { takeLock, type Lock } from './lock.js';
import { makeFolder } from './make-folder.js';

/**
 * Makes sure that the file of `--dead-letter` can be written, before anything is sent, and keeps it from
 * other runs until it is released: by a lock file beside it, unless it is a pipe or a device. A file that
 * is missing is still missing afterwards; the folders above it are made.
 *
 * @throws UsageError when it cannot be written, or another process writes to it.
 */
export function claimLetters(path: string): Lock {
  const found = asUsageError(path, () => statSync(path, { throwIfNoEntry: false }));
  if (found && !found.isFile() && !found.isDirectory()) {
    asUsageError(path, () => accessSync(path, constants.W_OK));
    return { release: () => undefined };
  }
  const lock = asUsageError(path, () => {
    makeFolder(dirname(path));
    return takeLock(
      `${found ? realpathSync(path) : path}.lock`,
      `a run with --dead-letter ${path}`,
    );
  });
  try {
    asUsageError(path, () => closeSync(openSync(path, 'a', 0o600)));
    if (!found) unlinkSync(path);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function asUsageError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const cause = error instanceof StateError ? error.cause : error;
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const message = `--dead-letter ${path}: cannot be written (${code}); choose another place`;
    throw new UsageError(message, 'dead_letter_not_written', { cause });
  }
}
