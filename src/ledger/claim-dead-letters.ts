import {
  accessSync,
  closeSync,
  constants,
  openSync,
  realpathSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StateError, UsageError } from '../errors.js';
import { acquireLock, type Lock } from '../storage/lock.js';
import { makeFolder } from '../storage/make-folder.js';

/**
 * Makes sure that the file of `--dead-letter` can be written, before anything is sent, and keeps it from
 * other runs until it is released: by a lock file beside it, unless it is a pipe or a device, or no file
 * can be made there. It is made, with the folders above it, and removed again where it stays empty.
 *
 * @throws UsageError when it cannot be written, or another process writes to it.
 */
export function claimDeadLetters(path: string): Lock {
  const found = asUsageError(path, () => statSync(path, { throwIfNoEntry: false }));
  if (found && !found.isFile() && !found.isDirectory()) {
    asUsageError(path, () => accessSync(path, constants.W_OK));
    return { release: () => undefined };
  }
  const isNew = asUsageError(path, () => make(path));
  const file = realPathOf(path);
  const lock = asUsageError(path, () => lockBeside(file, `a run with --dead-letter ${path}`));
  return {
    release: () => {
      // Nobody else writes to it before the lock is released.
      if (isNew) removeEmpty(file);
      lock.release();
    },
  };
}

/** Opens a file to append to it. Returns whether it was missing. */
function make(path: string): boolean {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, 'ax', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    closeSync(openSync(path, 'a', 0o600));
    return false;
  }
}

/** What forbids a new file in a folder whose files may be written. */
const noNewFiles = new Set(['EACCES', 'EPERM', 'EROFS']);

function lockBeside(file: string, what: string): Lock {
  try {
    return acquireLock(`${file}.lock`, what);
  } catch (error) {
    if (error instanceof StateError && noNewFiles.has(codeOf(error.cause))) {
      return { release: () => undefined };
    }
    throw error;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Another run has just removed it, for it was empty.
    return resolve(path);
  }
}

function removeEmpty(file: string): void {
  try {
    if (statSync(file).size === 0) unlinkSync(file);
  } catch {
    // Removed by somebody else.
  }
}

function asUsageError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const cause = error instanceof StateError ? error.cause : error;
    const message = `--dead-letter ${path}: cannot be written (${codeOf(cause)}); choose another place`;
    throw new UsageError(message, 'dead_letter_not_written', { cause });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
