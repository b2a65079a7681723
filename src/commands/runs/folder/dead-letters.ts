import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { redactUrls } from '../../../output/redact-urls.js';

/** The dead-letter file of a run. */
export interface DeadLetters {
  readonly file: string;
  readonly lines: number;
  readonly bytes: number;
  /** The URL that the first of them were sent to, without its query; null if none was sent. */
  readonly url: string | null;
  /** Whether they are requests of `replay`, not events. */
  readonly areRequests: boolean;
}

const newline = 0x0a;
const chunkBytes = 1024 * 1024;

/** Undefined if there is none, or it is empty. @throws what the system throws if it cannot be read */
export function readDeadLetters(file: string): DeadLetters | undefined {
  const opened = open(file);
  if (opened === undefined) return undefined;
  try {
    const chunk = Buffer.alloc(chunkBytes);
    let content: ReturnType<typeof contentOf> | undefined;
    let lines = 0;
    let bytes = 0;
    for (let length; (length = readSync(opened, chunk)) > 0; bytes += length) {
      const read = chunk.subarray(0, length);
      for (let at = -1; (at = read.indexOf(newline, at + 1)) !== -1;) lines++;
      content ??= contentOf(read.toString('utf8').split('\n'));
    }
    return content && { file, lines, bytes, ...content };
  } finally {
    closeSync(opened);
  }
}

function open(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function contentOf(lines: readonly string[]): Pick<DeadLetters, 'url' | 'areRequests'> {
  const known = lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as { url?: unknown; request?: unknown }];
    } catch {
      // The chunk, or a crash, has truncated it.
      return [];
    }
  });
  const url = known.map((each) => each.url).find((each) => typeof each === 'string');
  return {
    url: url === undefined ? null : redactUrls(url),
    areRequests: known.some(({ request }) => request !== undefined),
  };
}

/** A file as a run noted it. */
export interface NotedFile {
  readonly path: string;
  readonly size: number;
}

/** Whether a finished run has read the whole file. */
export function isSent({ file, bytes }: DeadLetters, finished: readonly NotedFile[]): boolean {
  const path = resolve(file);
  return finished.some((each) => resolve(each.path) === path && each.size >= bytes);
}
