import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { RandomAccess } from '../../src/sources/random-access.js';

export interface ZipContent {
  readonly name: string;
  readonly bytes: Buffer | string;
  /** Default true. */
  readonly isCompressed?: boolean;
  /** Sizes are written behind the data, as programs do that cannot seek. */
  readonly isStreamed?: boolean;
  readonly isZip64?: boolean;
}

/** A zip archive with these files, in this order; names that end with `/` are directories. */
export async function zipOf(
  contents: readonly ZipContent[],
  { comment = '', isZip64 = false } = {},
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, bytes, isCompressed = true, isStreamed, ...rest } of contents) {
    const options = { compress: isCompressed, forceZip64Format: rest.isZip64 ?? false };
    if (name.endsWith('/')) zip.addEmptyDirectory(name);
    else if (isStreamed) zip.addReadStream(Readable.from([Buffer.from(bytes)]), name, options);
    else zip.addBuffer(Buffer.from(bytes), name, options);
  }
  zip.end({ comment, forceZip64Format: isZip64 });
  return buffer(zip.outputStream);
}

/** Bytes in memory that are read in chunks; `reads` has each range that was asked for. */
export function inMemory(
  bytes: Buffer,
  chunkBytes = 1_000,
): RandomAccess & { readonly reads: (readonly [start: number, end: number])[] } {
  const reads: [number, number][] = [];
  return {
    size: bytes.length,
    reads,
    // eslint-disable-next-line @typescript-eslint/require-await -- a source of bytes is asynchronous
    async *read(start, end) {
      reads.push([start, end]);
      const stop = Math.min(end, bytes.length);
      for (let at = start; at < stop; at += chunkBytes)
        yield Buffer.from(bytes.subarray(at, Math.min(at + chunkBytes, stop)));
    },
  };
}
