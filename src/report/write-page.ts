import { randomBytes } from 'node:crypto';

import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.js';

/**
 * Checks the path before hours of logs are read.
 * @param inputs files that are read; `-` is none
 * @param what they are: `logs`
 * @throws UsageError if a page cannot be written there, or would replace one of them.
 */
export async function checkPagePath(
  path: string,
  inputs: readonly string[],
  what = 'logs',
): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (!folder?.isDirectory()) throw notWritten(path, 'no such folder');
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isFile()) throw notWritten(path, 'it is not a file');
  for (const input of inputs.filter((name) => name !== '-')) {
    const { dev, ino } = await stat(input);
    if (dev === found.dev && ino === found.ino) throw notWritten(path, `it is one of the ${what}`);
  }
}

/**
 * Replaces the page atomically: a reader sees the old one or the whole new one.
 * @throws UsageError if it cannot be written.
 */
export async function writePage(path: string, text: string): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  const temporary = join(dirname(path), `.${basename(path)}.${suffix}.tmp`);
  try {
    await writeWhole(temporary, text);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw notWritten(path, (cause as NodeJS.ErrnoException).code ?? 'unknown error', cause);
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function notWritten(path: string, reason: string, cause?: unknown): UsageError {
  const message = `--html ${path}: cannot be written (${reason}); choose another place`;
  return new UsageError(message, 'page_not_written', { cause });
}
