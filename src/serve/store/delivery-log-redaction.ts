import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { DeletedUsers } from './deleted-users.js';
import { chunksOf, readLogLine, logLine } from './delivery-log-entry.js';

/** Suffix of a file that is being written; a crash may leave it. */
export const unfinished = '.new';

/**
 * Removes the ids of users from a file of the delivery log. The file is replaced atomically by its
 * new text. Lines that a crash has truncated are removed, too.
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

/** Makes the file names in a folder durable; does nothing when the folder is missing. */
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
    // Unlike write(), it continues until all is written.
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
