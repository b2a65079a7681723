/** Cuts bytes at these places, in any order and beyond the end too. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = places.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b);
  const edges = [0, ...cuts, bytes.length];
  return edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
}

/** Chunks of `size` bytes; the last one may be shorter. */
export function inChunksOf(size: number, bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

// eslint-disable-next-line @typescript-eslint/require-await -- a source of bytes is asynchronous
export async function* chunksOf(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}
