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

/** The same bytes, whose reads end with `signal`. */
export function withSignal(source: RandomAccess, signal: AbortSignal | undefined): RandomAccess {
  if (!signal) return source;
  const { size } = source;
  return { size, read: (start, end, own = signal) => source.read(start, end, own) };
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
