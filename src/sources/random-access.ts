/** Bytes that can be read from any offset: a file, an object behind a URL. */
export interface RandomAccess {
  /** In bytes. */
  readonly size: number;
  /**
   * The bytes `[start, end)`, in chunks as they arrive. Fewer if there are not as many.
   * @throws SourceError when they cannot be read
   */
  read(start: number, end: number, signal?: AbortSignal): AsyncIterable<Buffer>;
}

/** All bytes `[start, end)` at once. */
export async function readAll(
  source: RandomAccess,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source.read(start, end, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
