import { closeSync, fdatasyncSync, openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { readAt } from '../../storage/read-at.js';
import { writeAt } from '../../storage/write-at.js';
import { DeletedUserKeys } from '../store/deleted-user-keys.js';
import type { DeletedUser } from '../store/deleted-users.js';
import { eventsOfKept, lengthsOf, prefixBytes, withoutEvents, type KeptEvent } from './block.js';
import { allKeptFiles, type KeptFile } from './file-names.js';
import { blocksWithUsers, replaceEntries } from './user-index.js';

/**
 * Overwrites the events of these users, received before the request, in the files of a folder. Resolves to whether all
 * files are done and durable. @throws what the system throws
 */
export async function removeUsersFromFiles(
  folder: string,
  users: readonly DeletedUser[],
  mayContinue: () => boolean,
): Promise<boolean> {
  const removed = new DeletedUserKeys(users);
  const { hashes } = removed;
  for (const file of allKeptFiles(folder)) {
    if (!mayContinue()) return false;
    const index = await readFile(file.index).catch(unlessGone);
    const blocks = index ? blocksWithUsers(index, hashes) : [];
    if (blocks.length > 0) overwrite(file, blocks, (event) => removed.has(event));
    await setImmediate();
  }
  return true;
}

function overwrite(
  { log, index }: KeptFile,
  blocks: readonly number[],
  isRemoved: (event: KeptEvent) => boolean,
): void {
  let file: number;
  try {
    file = openSync(log, 'r+');
  } catch (error) {
    // Dropped meanwhile.
    unlessGone(error);
    return;
  }
  const changedBlocks: [blockAt: number, events: readonly KeptEvent[]][] = [];
  try {
    for (const at of blocks) {
      const lengths = lengthsOf(readAt(file, at, prefixBytes));
      if (!lengths) continue;
      const block = readAt(file, at, prefixBytes + lengths.head + lengths.body);
      const changed = withoutEvents(block, isRemoved);
      if (!changed) continue;
      writeAt(file, changed, at);
      changedBlocks.push([at, eventsOfKept(changed)]);
    }
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
  if (changedBlocks.length > 0) updateIndex(index, changedBlocks);
}

function updateIndex(
  path: string,
  changedBlocks: readonly (readonly [blockAt: number, events: readonly KeptEvent[]])[],
): void {
  // Read again: what a transaction had appended may have been rolled back.
  const index = readFileSync(path);
  for (const [blockAt, events] of changedBlocks) replaceEntries(index, events, blockAt);
  const file = openSync(path, 'r+');
  try {
    writeAt(file, index, 0);
  } finally {
    closeSync(file);
  }
}

function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
