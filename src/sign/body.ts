import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.js';
import { whyUnreadable } from './unreadable.js';

/** Bytes that are read in pieces, so that their size does not matter. */
export interface Input {
  /** What to call it in a message. */
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
}

export interface InputPlace {
  readonly stdin: Readable & { isTTY?: boolean };
  /** The directory that a relative path starts from. */
  readonly cwd: string;
  /** Makes a path fit for a message. */
  readonly show: (path: string) => string;
}

/**
 * Opens the file `path`, or standard input for `-` and for no path at all.
 *
 * @throws UsageError without a path when standard input is a terminal, and, while it is read,
 * when the file cannot be
 */
export function openInput(path: string | undefined, { stdin, cwd, show }: InputPlace): Input {
  if (path === undefined && stdin.isTTY) {
    throw new UsageError('no body; give a file, or - to read standard input', 'no_body');
  }
  if (path === undefined || path === '-')
    return { name: 'standard input', chunks: read(() => stdin, '-') };
  const open = () => createReadStream(resolve(cwd, path), { highWaterMark: 1 << 20 });
  return { name: show(path), chunks: read(open, show(path)) };
}

async function* read(open: () => Readable, name: string): AsyncIterable<Buffer> {
  try {
    for await (const chunk of open()) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    }
  } catch (error) {
    const message = `${name} cannot be read: ${whyUnreadable(error)}; give a readable file, or - for standard input`;
    throw new UsageError(message, 'not_readable', { cause: error });
  }
}
