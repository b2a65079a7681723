import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The bytes of a file from `offset` on: `length` of them, or fewer where the file ends before. An open file
 * is given by its descriptor.
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
