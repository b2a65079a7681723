import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FailedDelivery } from './failed-deliveries.js';

/** As the newest ones of a folder where many imports ran. */
const maxFiles = 50;

/**
 * The dead-letter file of the import that wrote the log: of those in its state folder, the newest that has the
 * event that failed last. The log does not name it. Returns its name; undefined when there is none.
 */
export async function findDeadLetters(
  folder: string,
  failed: readonly FailedDelivery[],
): Promise<string | undefined> {
  const messageId = failed.find((one) => one.messageId !== null)?.messageId;
  if (messageId == null) return undefined;
  const id = JSON.stringify(messageId).replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const wanted = new RegExp(`"messageId"\\s*:\\s*${id}`);
  for (const path of await newestFiles(folder)) {
    if (await hasText(path, wanted)) return basename(path);
  }
  return undefined;
}

async function newestFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names
    .filter((name) => name.endsWith('.dead-letter.ndjson'))
    .map((name) => join(folder, name));
  const files = await Promise.all(
    // One that has gone since is not read either.
    paths.map(async (path) => ({
      path,
      at: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  return files
    .sort((one, other) => other.at - one.at)
    .slice(0, maxFiles)
    .map(({ path }) => path);
}

async function hasText(path: string, text: RegExp): Promise<boolean> {
  const input = createReadStream(path);
  try {
    for await (const line of createInterface({ input })) {
      if (text.test(line)) return true;
    }
    return false;
  } catch {
    // A file that cannot be read is not named; the report is not about it.
    return false;
  } finally {
    input.destroy();
  }
}
