import { gunzipSync, gzipSync, constants } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gunzip, isGzip } from '../../src/input/gunzip.js';
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

  it('with damage returns the pieces that were complete before it', async () => {
    const whole = gzipSync(Buffer.alloc(40_000, 'ab\n'));
    const { bytes, error } = await inflate([withByte(whole, whole.length - 6, 0)]);
    expect([bytes.length, error]).toEqual([32_768, 'Z_DATA_ERROR']);
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
    ['a wrong checksum', withByte(good, good.length - 6, 0), 'a\nb\n'],
    ['a block of no known kind', withByte(good, 10, 0x07), ''],
    ['text after a member', Buffer.concat([good, Buffer.from('garbage')]), 'a\nb\n'],
    ['a member after padding', Buffer.concat([good, Buffer.alloc(3), good]), 'a\nb\n'],
    ['text after padding', Buffer.concat([good, Buffer.alloc(3), Buffer.from('x')]), 'a\nb\n'],
    ['a header and nothing like gzip', Buffer.from([0x1f, 0x8b, 0xff, 0xff, 1, 2, 3, 4, 5]), ''],
  ])('with %s is an error, never an end', async (_, data, before) => {
    for (const size of [7, data.length]) {
      expect((await inflate(inChunksOf(size, data))).error).toMatch(/^Z_\w+_ERROR$/);
    }
    const { bytes, error } = await inflate(inChunksOf(1, data));
    expect([bytes.toString(), error]).toEqual([before, 'Z_DATA_ERROR']);
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
  copy[at] = byte;
  return copy;
}
