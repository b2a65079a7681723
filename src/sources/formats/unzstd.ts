import type { Decompress } from 'fzstd';
import type { XXHash } from 'xxhash-wasm';
import { ByteReader } from '../byte-reader.js';
import { SourceError } from '../source-error.js';

/**
 * Decompresses zstd data (RFC 8878), block by block: at most 128 KB of text at a time, whatever the data is.
 * Accepts several frames, and skips skippable ones. A checksum is verified where a frame has one, as is the
 * length of the content; without both, damage within a block may stay unseen.
 *
 * The frames are found here, and fzstd decodes their blocks. Node's own decoder is not used: it is absent
 * before Node 22.15, and loses a frame that begins within a chunk without an error (nodejs/node #64741).
 *
 * @throws SourceError when the data cannot be read on, after the text before
 */
export async function* unzstd(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const [{ Decompress: Decoder }, { default: xxhash }] = await Promise.all([
    import('fzstd'),
    import('xxhash-wasm'),
  ]);
  const hashes = await xxhash();
  const input = new ByteReader(compressed, () => broken('the zstd data is truncated'));
  let frames = 0;
  try {
    while ((await input.peek()) !== undefined) {
      if (frames++ > 0) await expectMagic(input);
      const magic = (await input.take(4)).readUInt32LE();
      if ((magic & ~0xf) >>> 0 === skippableMagic) await skip(input, await lengthOf(input));
      else if (magic === frameMagic) yield* frameText(input, Decoder, hashes.create64());
      else throw damaged();
    }
  } finally {
    await input.close();
  }
}

const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
const frameMagicBytes = [0x28, 0xb5, 0x2f, 0xfd];

/** Decoders must be able to do with 8 MB; the zstd tool stops at this size unless it is told otherwise. */
const maxWindowBytes = 128 * 1024 * 1024;
const maxBlockBytes = 128 * 1024;
const noText = new Uint8Array(0);

/** Whether another frame follows is known by its first byte; the others can only be cut off. */
async function expectMagic(input: ByteReader): Promise<void> {
  const first = (await input.peek())!;
  if (first === frameMagicBytes[0] || (first & 0xf0) === 0x50) {
    const start = await peekBytes(input, 4);
    const isFrame = start.every((byte, i) => byte === frameMagicBytes[i]);
    const rest = [0x2a, 0x4d, 0x18];
    const isSkippable = start.every((byte, i) => i === 0 || byte === rest[i - 1]);
    if (isFrame || (isSkippable && (first & 0xf0) === 0x50)) return;
  }
  throw broken(
    'other data follows the zstd data',
    'if that data holds events, copy it to a file of its own',
  );
}

/** The next bytes, which stay unread; fewer if the data ends. */
async function peekBytes(input: ByteReader, count: number): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < count) {
    const next = await input.next();
    if (!next) break;
    bytes = bytes.length === 0 ? next : Buffer.concat([bytes, next]);
  }
  input.unread(bytes);
  return bytes.subarray(0, count);
}

async function lengthOf(input: ByteReader): Promise<number> {
  return (await input.take(4)).readUInt32LE();
}

/** Up to 4 GB, which are not collected. */
async function skip(input: ByteReader, count: number): Promise<void> {
  for (let rest = count; rest > 0; rest -= maxBlockBytes)
    await input.skip(Math.min(rest, maxBlockBytes));
}

interface FrameHeader {
  readonly bytes: Buffer;
  readonly windowBytes: number;
  readonly contentBytes: number | undefined;
  readonly hasChecksum: boolean;
}

/** `checksum`: XXH64 with the seed 0, of which a frame has the last 32 bits. */
async function* frameText(
  input: ByteReader,
  Decoder: typeof Decompress,
  checksum: XXHash<bigint>,
): AsyncGenerator<Buffer> {
  const header = await readHeader(input);
  const texts: Uint8Array[] = [];
  const decoder = new Decoder((text) => texts.push(text));
  let length = 0;
  let pending: Buffer = header.bytes;
  for (let isLast = false; !isLast;) {
    const blockHeader = (await input.take(3)).readUIntLE(0, 3);
    isLast = (blockHeader & 1) === 1;
    const block = await readBlock(input, blockHeader, header.windowBytes);
    const trailer = isLast && header.hasChecksum ? await input.take(4) : noText;
    const expected = trailer.length > 0 ? Buffer.from(trailer).readUInt32LE() : undefined;
    push(decoder, Buffer.concat([pending, block, trailer]), isLast);
    pending = Buffer.alloc(0);
    for (const text of texts.splice(0)) {
      const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
      length += bytes.length;
      if (header.hasChecksum) checksum.update(bytes);
      if (bytes.length > 0) yield bytes;
    }
    if (expected !== undefined && Number(checksum.digest() & 0xffffffffn) !== expected)
      throw damaged();
  }
  if (length !== (header.contentBytes ?? length)) throw damaged();
}

/** RFC 8878 section 3.1.1.1, with the magic in front. */
async function readHeader(input: ByteReader): Promise<FrameHeader> {
  const descriptor = await input.take(1);
  const flags = descriptor[0]!;
  const isSingleSegment = (flags & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3]!;
  const contentFieldBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6]!;
  const window = await input.take(isSingleSegment ? 0 : 1);
  const dictionary = await input.take(dictionaryBytes);
  const content = await input.take(contentFieldBytes);
  if ((flags & 8) !== 0) throw damaged();
  if (dictionary.some((byte) => byte !== 0))
    throw broken('the zstd data needs a dictionary', 'compress it without one and run again');
  const contentBytes = contentBytesOf(content);
  const windowBytes = window.length > 0 ? windowBytesOf(window[0]!) : contentBytes!;
  if (windowBytes > maxWindowBytes)
    throw broken(
      'the zstd data needs a window of more than 128 MB',
      'compress it again without --long and run again',
    );
  const magic = Buffer.from(frameMagicBytes);
  const bytes = Buffer.concat([magic, descriptor, window, dictionary, content]);
  return { bytes, windowBytes, contentBytes, hasChecksum: (flags & 4) !== 0 };
}

function contentBytesOf(field: Buffer): number | undefined {
  if (field.length === 0) return undefined;
  if (field.length === 8) return Number(field.readBigUInt64LE());
  return field.readUIntLE(0, field.length) + (field.length === 2 ? 256 : 0);
}

function windowBytesOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** A block with its header. One that would become more text than a block may is refused before it does. */
async function readBlock(input: ByteReader, header: number, windowBytes: number): Promise<Buffer> {
  const type = (header >> 1) & 3;
  const size = header >> 3;
  if (type === 3 || size > Math.min(maxBlockBytes, Math.max(windowBytes, 1024))) throw damaged();
  const content = await input.take(type === 1 ? 1 : size);
  return Buffer.concat([Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16]), content]);
}

function push(decoder: Decompress, bytes: Buffer, isLast: boolean): void {
  try {
    decoder.push(bytes, isLast);
  } catch (cause) {
    throw broken('the zstd data is damaged', undefined, cause);
  }
}

function damaged(): SourceError {
  return broken('the zstd data is damaged');
}

function broken(
  reason: string,
  advice = 'fix the file and run again',
  cause?: unknown,
): SourceError {
  return new SourceError(reason, { advice, cause });
}
