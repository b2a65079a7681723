import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.js';

/** The value of a small JSON file; undefined where there is none. @throws what the system or `JSON.parse` throws */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a small JSON file, readable only by its owner. Atomic, also when the process is killed or the power fails.
 *
 * @throws what the system throws
 */
export function writeJsonFile(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
}
