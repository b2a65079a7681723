import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../errors.js';
import { makeFolder } from '../storage/make-folder.js';

/**
 * Checks at the start that a file can be written; creates an empty one if there is none, readable
 * only by the owner.
 *
 * @param flag the flag of the path, for the error
 * @throws UsageError if it cannot be written
 */
export function assertWritable(path: string, flag: string): void {
  try {
    makeFolder(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    const message = `${flag} ${path}: cannot be written (${code}); choose another place`;
    throw new UsageError(message, 'not_writable', { cause });
  }
}
