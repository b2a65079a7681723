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
 * Checks, before anything is sent, that the file of `--dead-letter` can be written, and locks it against
 * other runs until it is released. The lock is a file next to it, unless it is a pipe or a device, or no
 * file can be created there. A missing file is created, with its folders, and removed if it stays empty.
 *
 * @throws UsageError when it cannot be written, or another process writes to it.
 */
export function claimDeadLetters(path: string): Lock {
  const found = asUsageError(path, () => statSync(path, { throwIfNoEntry: false }));
  if (found && !found.isFile() && !found.isDirectory()) {
    asUsageError(path, () => accessSync(path, constants.W_OK));
    return { release: () => undefined };
  }
  const isNew = asUsageError(path, () => create(path));
  const file = realPathOf(path);
  const lock = asUsageError(path, () => lockBeside(file, `a run with --dead-letter ${path}`));
  return {
    release: () => {
      // No other run writes to it before the lock is released.
      if (isNew) removeEmpty(file);
      lock.release();
    },
  };
}

/** Creates a missing file. Returns whether it was missing. @throws when it cannot be appended to. */
function create(path: string): boolean {
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

/** Errors of creating a file in a folder whose existing files may still be writable. */
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
    // Another run has just removed it, since it was empty.
    return resolve(path);
  }
}

function removeEmpty(file: string): void {
  try {
    if (statSync(file).size === 0) unlinkSync(file);
  } catch {
    // Already removed by someone else.
  }
}

function asUsageError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const cause = error instanceof StateError ? error.cause : error;
    const message = `--dead-letter ${path}: cannot be written (${codeOf(cause)}); choose another path`;
    throw new UsageError(message, 'dead_letter_not_written', { cause });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
