import { open } from 'node:fs/promises';

/** Read and searched at once; small, so that nothing else is blocked for long. */
const chunkBytes = 256 * 1024;

/** Chunks of whole lines in file order, the last perhaps with a partial line that a crash has left. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path).catch(() => undefined);
  if (!file) return;
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0) break;
      const read = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = read.lastIndexOf(10) + 1;
      yield read.subarray(0, end);
      rest = read.subarray(end);
    }
    if (rest.length > 0) yield rest;
  } finally {
    await file.close();
  }
}
