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

/** Stands in an entry in place of the offset of its block, once the event was removed. */
const removedOffset = 0xffff_ffff;

/** Rewrites the entries of the block at `blockAt` in `index`: those of `remaining` events, then removed ones. */
export function replaceEntries(
  index: Buffer,
  remaining: readonly KeptEvent[],
  blockAt: number,
): void {
  const entries = indexEntries(remaining, blockAt);
  let next = 0;
  for (let at = 0; at + entryBytes <= index.length; at += entryBytes) {
    if (index.readUInt32LE(at + 4) !== blockAt) continue;
    if (next < entries.length) entries.copy(index, at, next, next + entryBytes);
    else {
      // The hash of its user is overwritten, too.
      index.writeUInt32LE(removedOffset, at);
      index.writeUInt32LE(removedOffset, at + 4);
    }
    next += entryBytes;
  }
}

/** How many events an index has, without removed ones. */
export function countEvents(index: Buffer): number {
  let events = 0;
  for (let at = 0; at + entryBytes <= index.length; at += entryBytes)
    if (index.readUInt32LE(at + 4) !== removedOffset) events++;
  return events;
}

/** Where the blocks begin that may have events of users with these hashes. */
export function blocksWithUsers(index: Buffer, hashes: ReadonlySet<number>): number[] {
  const found = new Set<number>();
  for (let at = 0; at + entryBytes <= index.length; at += entryBytes) {
    const blockAt = index.readUInt32LE(at + 4);
    if (blockAt !== removedOffset && hashes.has(index.readUInt32LE(at))) found.add(blockAt);
  }
  return [...found];
}
