import type { AsyncBuffer, CompressionCodec } from 'hyparquet';
import { readAll, type RandomAccess } from '../random-access.js';
import { checkPage, isOfDictionary, type PageLayout } from './parquet-check.js';
import type { PageDecompressor } from './parquet-codecs.js';
import { damagedParquet, tooLargeParquet, truncatedParquet } from './parquet-errors.js';
import {
  dataPage2,
  dictionaryPage,
  maxPageBytes,
  maxPageValues,
  pageHeader,
} from './parquet-pages.js';

/** The pages of a column in a row group. */
export interface Chunk {
  /** Where they are in the file. */
  readonly start: number;
  readonly length: number;
  readonly codec: CompressionCodec;
  readonly layout: PageLayout;
  /** An index of its pages, by the offsets that they have here. */
  readonly index: Buffer;
}

/** What is read at once may be a few pages. Nested values become arrays of 200 bytes, one for each level. */
const maxReadBytes = 4 * maxPageBytes;
const maxNested = 8 * 1024 * 1024;

/**
 * A file for hyparquet, of chunks, each behind the one before and followed by its index. Pages are checked
 * when they are read; a read begins and ends with a page or an index.
 */
export class ChunkFile implements AsyncBuffer {
  readonly #source: RandomAccess;
  readonly #decompressor: PageDecompressor;
  readonly #chunks: { readonly chunk: Chunk; readonly at: number }[] = [];
  /** To hyparquet, an offset of 0 is none. */
  byteLength = 1;

  constructor(source: RandomAccess, decompressor: PageDecompressor) {
    this.#source = source;
    this.#decompressor = decompressor;
  }

  append(chunk: Chunk): void {
    this.#chunks.push({ chunk, at: this.byteLength });
    this.byteLength += chunk.length + chunk.index.length;
  }

  slice(start: number, end = this.byteLength): Promise<ArrayBuffer> {
    const bytes = this.#read(start, end);
    // Where another read fails first, nobody may wait for this one.
    bytes.catch(() => undefined);
    return bytes;
  }

  async #read(start: number, end: number): Promise<ArrayBuffer> {
    const parts: Buffer[] = [];
    if (end - start > maxReadBytes) throw tooLargeParquet();
    for (const { chunk, at } of this.#chunks) {
      const length = chunk.length + chunk.index.length;
      const [from, to] = [Math.max(0, start - at), Math.min(end - at, length)];
      if (from >= to) continue;
      if (from < chunk.length)
        parts.push(await this.#pages(chunk, from, Math.min(to, chunk.length)));
      if (to > chunk.length)
        parts.push(chunk.index.subarray(Math.max(0, from - chunk.length), to - chunk.length));
    }
    return new Uint8Array(Buffer.concat(parts)).buffer;
  }

  async #pages({ start, codec, layout }: Chunk, from: number, to: number): Promise<Buffer> {
    const bytes = await readAll(this.#source, start + from, start + to);
    if (bytes.length < to - from) throw truncatedParquet();
    let [textSize, values] = [0, 0];
    let hasDictionary = from > 0;
    const maxValues =
      layout.maxDefinition > 1 ? maxNested / Math.max(1, layout.maxDefinition - 2) : maxPageValues;
    for (let at = 0; at < bytes.length;) {
      const header = pageHeader(bytes.subarray(at));
      if (!header) throw damagedParquet();
      const end = at + header.length + header.size;
      const levelsSize = header.definitionBytes + header.repetitionBytes;
      const size = header.textSize - levelsSize;
      if (end > bytes.length || levelsSize > header.size || size < 0) throw damagedParquet();
      textSize += header.textSize;
      values += header.values;
      if (textSize > maxReadBytes || values > maxValues) throw tooLargeParquet();
      const page = bytes.subarray(at + header.length, end);
      const packed = page.subarray(levelsSize);
      const isPlain = header.kind === dataPage2 && !header.isCompressed;
      const text = isPlain ? packed : await this.#decompressor.decompress(codec, packed, size);
      hasDictionary ||= header.kind === dictionaryPage;
      // hyparquet would take the indexes for the values.
      if (!hasDictionary && isOfDictionary(header.encoding)) throw damagedParquet();
      checkPage(header, layout, { levels: page, text });
      at = end;
    }
    return bytes;
  }
}
