import { writeSync } from 'node:fs';

/** Writes all bytes to an open file from `offset` on. @throws what the system throws; a part may be written then */
export function writeAt(file: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(file, bytes, done, bytes.length - done, offset + done);
  }
}
