import { gunzipSync, gzipSync, constants } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gunzip, isGzip } from '../../src/sources/gunzip.js';
import { chunksOf, cutAt, inChunksOf } from '../helpers/chunks.js';

describe('gzip data', () => {
  it('is detected by its first two bytes', () => {
    expect(isGzip(gzipSync(''))).toBe(true);
    expect([[], [0x1f], [0x8b, 0x1f], [0x7b, 0x7d]].map((b) => isGzip(Buffer.from(b)))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('is inflated, with all its members and the padding after them, wherever chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        members,
        fc.nat(40),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (texts, padding, places) => {
          const data = Buffer.concat([
            ...texts.map((text) => gzipSync(text)),
            Buffer.alloc(padding),
          ]);
          const result = await inflate(cutAt(data, places));
          expect(result.error).toBeUndefined();
          expect(result.bytes.equals(Buffer.concat(texts))).toBe(true);
        },
      ),
    );
  });

  it('is inflated one byte at a time', async () => {
    const data = Buffer.concat([gzipSync('one\n'), gzipSync(''), gzipSync('two\n')]);
    const padded = Buffer.concat([data, Buffer.alloc(3)]);
    for (const bytes of [data, padded]) {
      const { bytes: inflated, error } = await inflate(inChunksOf(1, bytes));
      expect([inflated.toString(), error]).toEqual(['one\ntwo\n', undefined]);
    }
  });

  it('is returned in pieces of at most 16 KB, even if a kilobyte inflates to a megabyte', async () => {
    const whole = Buffer.alloc(5_000_000, 'ab\n');
    const pieces: Buffer[] = [];
    for await (const piece of gunzip(chunksOf([gzipSync(whole)]))) pieces.push(piece);
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(16_384);
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  });

  const long = Buffer.alloc(40_000, 'ab\n');

  it.each([
    ['a wrong checksum', withByte(gzipSync(long), -6, 0), 'Z_DATA_ERROR'],
    ['a wrong length', withByte(gzipSync(long), -2, 9), 'Z_DATA_ERROR'],
    ['no checksum', gzipSync(long).subarray(0, -8), 'Z_BUF_ERROR'],
    ['half a checksum', gzipSync(long).subarray(0, -5), 'Z_BUF_ERROR'],
    ['text behind it', Buffer.concat([gzipSync(long), Buffer.from('junk')]), 'Z_JUNK_ERROR'],
    [
      'a member of damaged data behind it',
      Buffer.concat([gzipSync(long), withByte(gzipSync(long), 10, 0x07)]),
      'Z_DATA_ERROR',
    ],
    [
      'a header without data behind it',
      Buffer.concat([gzipSync(long), gzipSync('').subarray(0, 10)]),
      'Z_BUF_ERROR',
    ],
    [
      'a header of no known method behind it',
      Buffer.concat([gzipSync(long), withByte(gzipSync(long), 2, 7)]),
      'Z_DATA_ERROR',
    ],
  ])('with %s is returned to the end of its last whole member', async (_, data, code) => {
    for (const size of [100, data.length]) {
      const { bytes, error } = await inflate(inChunksOf(size, data));
      expect([bytes.equals(long), error]).toEqual([true, code]);
    }
  });

  it('with damage in the middle returns the pieces that were complete before it', async () => {
    // Stored blocks: the one behind the damage has a type that does not exist.
    const text = noise(200_000);
    const whole = gzipSync(text, { level: 0 });
    const damaged = [whole.subarray(0, 150_000), Buffer.alloc(70_000, 0xff)];
    const { bytes, error } = await inflate(damaged);
    expect(error).toBe('Z_DATA_ERROR');
    expect(bytes.subarray(0, 140_000).equals(text.subarray(0, 140_000))).toBe(true);
  });

  it('of very many members is inflated, small and large ones in any order', async () => {
    const texts = Array.from({ length: 300 }, (_, i) =>
      Buffer.from(`${i}`.repeat(i % 10 === 7 ? 30_000 : i % 13)),
    );
    const data = Buffer.concat(texts.map((text) => gzipSync(text)));
    for (const size of [11, 5_000, data.length])
      expect((await inflate(inChunksOf(size, data))).bytes.equals(Buffer.concat(texts))).toBe(true);
  });

  it('is inflated whatever its header holds', async () => {
    const plain = gzipSync('a\n');
    const header = Buffer.from(plain.subarray(0, 10));
    header[3] = 0x1e;
    const extra = Buffer.from([3, 0, 1, 2, 3]);
    const rest = [extra, Buffer.from('name\0comment\0'), Buffer.alloc(2), plain.subarray(10)];
    const data = Buffer.concat([plain, header, ...rest, plain]);
    for (const size of [1, data.length])
      expect(await inflate(inChunksOf(size, data))).toEqual({
        bytes: Buffer.from('a\na\na\n'),
        error: undefined,
      });
  });

  it('that is truncated returns everything that could be inflated before the error', async () => {
    await fc.assert(
      fc.asyncProperty(
        members,
        fc.nat(),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (texts, at, places) => {
          const data = Buffer.concat(texts.map((text) => gzipSync(text)));
          const part = data.subarray(0, 2 + (at % (data.length - 2)));
          const result = await inflate(cutAt(part, places));
          const whole = gunzipSync(part, { finishFlush: constants.Z_SYNC_FLUSH });
          expect(result.bytes.equals(whole)).toBe(true);
          expect(result.error).toBe(endsAMember(texts, part.length) ? undefined : 'Z_BUF_ERROR');
        },
      ),
    );
  });

  const good = gzipSync('a\nb\n');
  it.each([
    ['a wrong checksum', withByte(good, -6, 0), 'a\nb\n', 'Z_DATA_ERROR'],
    ['a block of no known kind', withByte(good, 10, 0x07), '', 'Z_DATA_ERROR'],
    [
      'text after a member',
      Buffer.concat([good, Buffer.from('garbage')]),
      'a\nb\n',
      'Z_JUNK_ERROR',
    ],
    [
      'a member after padding',
      Buffer.concat([good, Buffer.alloc(3), good]),
      'a\nb\n',
      'Z_JUNK_ERROR',
    ],
    [
      'text after padding',
      Buffer.concat([good, Buffer.alloc(3), Buffer.from('x')]),
      'a\nb\n',
      'Z_JUNK_ERROR',
    ],
    [
      'a header and nothing like gzip',
      Buffer.from([0x1f, 0x8b, 0xff, 0xff, 1, 2, 3, 4, 5, 6]),
      '',
      'Z_DATA_ERROR',
    ],
  ])('with %s is an error, never an end', async (_, data, before, code) => {
    for (const size of [7, data.length]) {
      expect((await inflate(inChunksOf(size, data))).error).toMatch(/^Z_\w+_ERROR$/);
    }
    const { bytes, error } = await inflate(inChunksOf(1, data));
    expect([bytes.toString(), error]).toEqual([before, code]);
  });

  it('passes on the error of its source, after the data before it', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield* chunksOf([good]);
      throw Object.assign(new Error('disk'), { code: 'EIO' });
    }
    expect(await inflate(broken())).toEqual({ bytes: Buffer.from('a\nb\n'), error: 'EIO' });
  });
});

/** Texts of every kind: well and badly compressible, empty, longer than zlib's buffers. */
const members = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(60_000).map((length) => Buffer.alloc(length, '{"type":"track"}\n')),
    fc.nat(60_000).map(noise),
  ),
  { minLength: 1, maxLength: 3 },
);

function noise(length: number): Buffer {
  let state = length;
  return Buffer.from(
    Uint8Array.from({ length }, () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >>> 16),
  );
}

async function inflate(
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<{ bytes: Buffer; error: unknown }> {
  const inflated: Buffer[] = [];
  const chunks = Symbol.asyncIterator in source ? source : chunksOf(source);
  let error: unknown;
  try {
    for await (const chunk of gunzip(chunks)) inflated.push(chunk);
  } catch (cause) {
    error = (cause as NodeJS.ErrnoException).code;
  }
  return { bytes: Buffer.concat(inflated), error };
}

function endsAMember(texts: readonly Buffer[], length: number): boolean {
  let end = 0;
  return texts.some((text) => (end += gzipSync(text).length) === length);
}

function withByte(data: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(data);
  copy[at < 0 ? data.length + at : at] = byte;
  return copy;
}
