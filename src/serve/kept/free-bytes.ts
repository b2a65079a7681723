import { statfsSync } from 'node:fs';

/** How much space is free on the disk of a folder. */
export type FreeBytes = (folder: string) => number;

/** Infinity where there is no folder. */
export const freeBytesAt: FreeBytes = (folder) => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
};
