import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../errors.js';
import { makeFolder } from '../storage/make-folder.js';

/**
 * Makes sure before anything comes that a file can be written to; makes an empty one where there is
 * none, readable by the owner alone.
 *
 * @param flag that gave the path, for the error
 * @throws UsageError when it cannot
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
