import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Reads `length` bytes of a file from `offset` on, or fewer if the file ends before. `file` is a path or
 * the descriptor of an open file.
 *
 * @throws what the system throws when the file cannot be opened or read.
 */
export function readAt(file: string | number, offset: number, length: number): Buffer {
  if (typeof file === 'number') {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  }
  const opened = openSync(file, 'r');
  try {
    return readAt(opened, offset, length);
  } finally {
    closeSync(opened);
  }
}
