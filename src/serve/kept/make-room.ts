import { rmSync } from 'node:fs';
import { allKeptFiles } from './file-names.js';
import { freeBytesAt, type FreeBytes } from './free-bytes.js';
import { eventsInFile } from './series.js';

/** What a service needs to open its state: for its lock, its reserve, and the files that SQLite has beside the state. */
const neededBytes = 4 * 1024 * 1024;

/**
 * Deletes the oldest kept events of a folder that no process uses, until its disk has the space that a start needs.
 * Returns how many they were.
 */
export function makeRoomForStart(folder: string, freeBytes: FreeBytes = freeBytesAt): number {
  let events = 0;
  try {
    while (freeBytes(folder) < neededBytes) {
      const [oldest] = allKeptFiles(folder);
      if (!oldest) break;
      const count = eventsInFile(oldest.index);
      rmSync(oldest.log);
      rmSync(oldest.index, { force: true });
      events += count;
    }
  } catch {
    // The start itself says what is wrong with the folder.
  }
  return events;
}
