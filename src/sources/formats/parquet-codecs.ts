import { brotliDecompressSync, unzipSync } from 'node:zlib';
import type { CompressionCodec, Compressors } from 'hyparquet';
import { PageBytes } from './parquet-bytes.js';
import { damagedParquet } from './parquet-errors.js';
import { unzstd } from './unzstd.js';

const noText = new Uint8Array(0);

/**
 * Decompresses pages to the length that their headers tell, and not more: of those of hyparquet-compressors, the
 * decoder of ZSTD takes no limit, and Node's are faster.
 */
export class PageDecompressor {
  readonly #decoders: Compressors;
  #pages: { codec: CompressionCodec; packed: Buffer; text: Buffer }[] = [];

  constructor(decoders: Compressors) {
    this.#decoders = decoders;
  }

  /** The text, which is also kept until hyparquet asks for it. */
  async decompress(codec: CompressionCodec, packed: Buffer, size: number): Promise<Buffer> {
    if (codec === 'UNCOMPRESSED' && packed.length === size) return packed;
    // Nothing may be the text of no bytes.
    const decoded = size > 0 ? await this.#decode(codec, packed, size) : noText;
    if (decoded.length !== size) throw damagedParquet();
    // hyparquet may read past the end of a page, where Node's buffers can share memory with others.
    const text = Buffer.from(new Uint8Array(decoded).buffer);
    this.#pages.push({ codec, packed, text });
    return text;
  }

  /** What hyparquet decompresses with. */
  get kept(): Compressors {
    const take = (codec: CompressionCodec, input: Uint8Array, size: number): Uint8Array => {
      const i = this.#pages.findIndex(
        (page) => page.codec === codec && page.text.length === size && page.packed.equals(input),
      );
      if (i < 0) throw damagedParquet();
      return this.#pages.splice(i, 1)[0]!.text;
    };
    const codecs: CompressionCodec[] = ['SNAPPY', 'GZIP', 'BROTLI', 'LZ4', 'ZSTD', 'LZ4_RAW'];
    const entries = codecs.map((codec) => [codec, take.bind(undefined, codec)] as const);
    return Object.fromEntries(entries);
  }

  /** Frees what hyparquet did not ask for. */
  clear(): void {
    this.#pages = [];
  }

  async #decode(codec: CompressionCodec, packed: Buffer, size: number): Promise<Uint8Array> {
    // Node takes no limit of 0.
    const options = { maxOutputLength: Math.max(1, size) };
    if (codec === 'GZIP') return unzipSync(packed, options);
    if (codec === 'BROTLI') return brotliDecompressSync(packed, options);
    if (codec === 'ZSTD') return zstdText(packed, size);
    // The decoder of SNAPPY fills up with zeros what is missing.
    if (codec === 'SNAPPY' && new PageBytes(packed).varInt32() !== size) throw damagedParquet();
    const decode = this.#decoders[codec];
    if (!decode) throw damagedParquet();
    return decode(packed, size);
  }
}

async function zstdText(packed: Buffer, size: number): Promise<Uint8Array> {
  const text = new Uint8Array(size);
  let length = 0;
  for await (const chunk of unzstd(once(packed))) {
    length += chunk.length;
    if (length > size) throw damagedParquet();
    text.set(chunk, length - chunk.length);
  }
  return text.subarray(0, length);
}

// eslint-disable-next-line @typescript-eslint/require-await -- what is decompressed is asynchronous
async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
