import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.js';
import { whyUnreadable } from './unreadable.js';

/** Bytes that are read in pieces, so that their size does not matter. */
export interface Input {
  /** Its name in messages. */
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
}

export interface InputContext {
  readonly stdin: Readable & { isTTY?: boolean };
  /** The directory that a relative path starts from. */
  readonly cwd: string;
}

type Chunks = AsyncIterable<Buffer | string> | Iterable<Buffer>;

/**
 * Opens the file `path`, or standard input for `-` and for no path at all.
 *
 * @param show makes a path safe for a message
 * @throws UsageError if there is no path and standard input is a terminal, and, while reading,
 * if the file cannot be read
 */
export function openInput(
  path: string | undefined,
  context: InputContext,
  show: (path: string) => string,
): Input {
  if (path === undefined && context.stdin.isTTY) {
    throw new UsageError('no body: pass a file, or - to read standard input', 'no_body');
  }
  if (path === undefined || path === '-')
    return { name: 'standard input', chunks: read(context.stdin, '-') };
  const name = show(path);
  return { name, chunks: read(fileChunks(resolve(context.cwd, path)), name) };
}

async function* read(chunks: Chunks, name: string): AsyncIterable<Buffer> {
  try {
    for await (const chunk of chunks) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    }
  } catch (error) {
    const message = `${name} cannot be read: ${whyUnreadable(error)}; pass a readable file, or - for standard input`;
    throw new UsageError(message, 'not_readable', { cause: error });
  }
}

const chunkBytes = 256 * 1024;

/** Synchronous: nothing else runs meanwhile, and the stream module would need 5 ms to load. */
function* fileChunks(path: string): Generator<Buffer, void> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const length = readSync(file, chunk, 0, chunkBytes, null);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** What is signed beside the body, or changes it, needs the whole body in memory. */
export const maxHeldBytes = 256 * 1024 * 1024;

/**
 * Reads a whole body.
 *
 * @throws UsageError for a body above 256 MiB
 */
export async function wholeBody({ chunks, name }: Input): Promise<Buffer> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxHeldBytes) {
      throw new UsageError(
        `${name} is larger than 256 MiB; only schemes that sign the body alone take larger ones`,
        'body_too_large',
      );
    }
    held.push(chunk);
  }
  return Buffer.concat(held);
}
