import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until the names of the files in a folder are on the disk. @throws what the system throws */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
