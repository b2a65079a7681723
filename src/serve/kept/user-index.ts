import { userHash, userKeyOf } from '../user-key.js';
import type { KeptEvent } from './block.js';

/** What an index has of an event: the `userHash` of its user, and where its block begins; four bytes each. */
export const entryBytes = 8;

/** The entries of the events of a block. */
export function indexEntries(events: readonly KeptEvent[], blockAt: number): Buffer {
  const entries = Buffer.alloc(events.length * entryBytes);
  events.forEach(({ event }, i) => {
    entries.writeUInt32LE(userHash(userKeyOf(event)), i * entryBytes);
    entries.writeUInt32LE(blockAt, i * entryBytes + 4);
  });
  return entries;
}

/** Where the blocks begin that may have events of users with these hashes. */
export function blocksWithUsers(index: Buffer, hashes: ReadonlySet<number>): number[] {
  const found = new Set<number>();
  for (let at = 0; at + entryBytes <= index.length; at += entryBytes) {
    if (hashes.has(index.readUInt32LE(at))) found.add(index.readUInt32LE(at + 4));
  }
  return [...found];
}
