import { constants, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.js';
import { readAt } from './read-at.js';

const { O_APPEND, O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;

export interface AppendOptions {
  /** Whether to truncate the file. */
  readonly isNew?: boolean;
  /** Whether a write to a pipe that is full fails with EAGAIN, and opening one that nobody reads with ENXIO. */
  readonly isNonBlocking?: boolean;
}

/**
 * Opens a file to append to it. A missing file is created, with its folders, readable only by the owner.
 * Throws what the system throws.
 */
export function openToAppend(path: string, options: AppendOptions = {}): number {
  const { isNew = false, isNonBlocking = false } = options;
  makeFolder(dirname(path));
  const flags =
    O_WRONLY | O_CREAT | O_APPEND | (isNew ? O_TRUNC : 0) | (isNonBlocking ? O_NONBLOCK : 0);
  return openSync(path, flags, 0o600);
}

/** Ends a line that a crash or a full disk has truncated, so that the next one is separate. */
export function endTornLine(file: number, path: string): void {
  if (endsWithinLine(path)) writeSync(file, '\n');
}

/** Where an appended line begins; undefined if the path is not a regular file. */
export function nextOffset(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 0;
  if (!found.isFile()) return undefined;
  return found.size + (endsWithinLine(path) ? 1 : 0);
}

function endsWithinLine(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0) return false;
  return readAt(path, found.size - 1, 1)[0] !== 0x0a;
}
