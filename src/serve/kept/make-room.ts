import { rmSync } from 'node:fs';
import { allKeptFiles } from './file-names.js';
import { freeBytesAt, type FreeBytes } from './free-bytes.js';
import { countEventsInFile } from './series.js';

/**
 * What a service needs to open its state, in bytes: for its lock, its reserve, and the files that SQLite has beside
 * the state.
 */
const neededBytes = 4 * 1024 * 1024;

/**
 * Deletes the oldest kept events of a folder that no process uses, until its disk has the space that a start needs.
 * Returns how many events it deleted.
 */
export function makeRoomForStart(folder: string, freeBytes: FreeBytes = freeBytesAt): number {
  let events = 0;
  try {
    while (freeBytes(folder) < neededBytes) {
      const [oldest] = allKeptFiles(folder);
      if (!oldest) break;
      const count = countEventsInFile(oldest.index);
      rmSync(oldest.log);
      rmSync(oldest.index, { force: true });
      events += count;
    }
  } catch {
    // The start itself says what is wrong with the folder.
  }
  return events;
}
