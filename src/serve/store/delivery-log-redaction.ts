import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { DeletedUsers } from './deleted-users.js';
import { chunksOf } from './delivery-log-chunks.js';
import { readLogLine, logLine } from './delivery-log-entry.js';

/** A file that a crash has left behind half written. */
export const unfinished = '.new';

/**
 * Takes the ids of users out of a file of the delivery log. It is whole at any time: the new text is
 * written beside it and takes its place at the end. A line that a crash has cut goes, too.
 */
export async function redactIn(path: string, users: DeletedUsers): Promise<void> {
  if (!(await isAbout(path, users))) return;
  const file = await open(path + unfinished, 'w', 0o600);
  try {
    await copyWithout(path, file, users);
    await file.sync();
  } catch (error) {
    await rm(path + unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(path + unfinished, path);
}

/** Makes it durable which file of a folder has which name; one that is gone has none. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
  if (!folder) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function isAbout(path: string, users: DeletedUsers): Promise<boolean> {
  for await (const lines of chunksOf(path)) {
    await setImmediate();
    if (!users.mayBeIn(lines)) continue;
    if (linesOf(lines).some((line) => withoutIn(line, users) !== line)) return true;
  }
  return false;
}

async function copyWithout(path: string, file: FileHandle, users: DeletedUsers): Promise<void> {
  for await (const lines of chunksOf(path)) {
    await setImmediate();
    // Goes on until all is written, as write() does not.
    await file.appendFile(users.mayBeIn(lines) ? withoutAll(lines, users) : lines);
  }
}

function withoutAll(lines: Buffer, users: DeletedUsers): string {
  return linesOf(lines)
    .flatMap((line) => withoutIn(line, users) ?? [])
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf(chunk: Buffer): string[] {
  return chunk
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Undefined for a line that cannot be read. */
function withoutIn(line: string, users: DeletedUsers): string | undefined {
  const entry = readLogLine(line);
  if (!entry) return undefined;
  return users.has(entry) ? logLine(users.without(entry)) : line;
}
