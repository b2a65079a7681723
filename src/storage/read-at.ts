import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The bytes of a file from `offset` on: `length` of them, or fewer where the file ends before.
 *
 * @throws what the system throws when the file cannot be opened or read.
 */
export function readAt(path: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  } finally {
    closeSync(file);
  }
}
