import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import xxhash from 'xxhash-wasm';
import { unzstd } from '../../../src/sources/formats/unzstd.js';
import { SourceError } from '../../../src/sources/source-error.js';
import { chunksOf, cutAt, inChunksOf } from '../../helpers/chunks.js';
import { runs } from '../../helpers/property-runs.js';

const hashes = await xxhash();

/** Made with the zstd tool 1.5 from the text of `events`, with a checksum (-19) and without (-1). */
const checked = Buffer.from(
  'KLUv/QRo3QwAtptAGXBNoQ0wAiMEhXxDqugP1iI3bdrJyPe/64lNADEAMQD1S8PzjOVj0ql0ROfrvqIa21h5PAJMTIhiQAwJxWBYGDQsLBQSFhRGwBCHoRgFAgsLBocRMGQxFKMBYfGwGAHjgGBgoWEoxkIhomFIBK/7jHqqe9FprlTD2mwsad9VRCw254e3OzWddfpTLUUtWf34253ls2lleUIRynForAYfn41FetGOhHZe/SKnvIi02Tbb+3B+pY1a0knk3TNhdYQmNn9nFjkpoo10W3XqWkMLABMTNA9bf6YynbH5cHxTZch0Xt+fWEtKqmY1lPduFaEKHSkuxzItedLO8WRdpUqJZo4BgIyoEcAc2/v/BpCXWcwBEvipBHsLJ0JUeH+MH1tBMUUSybKud/GLhcnMnEMc3eBiQ9prEOZJ5KwTVnSlhGwXQpiS/2Z/0m650GEYDxGDqNdQ47gK+kw1uQxVSowHEBLAUiWPzIJBjZC4Q5iEGsoDIB8748CIxwgkSMIFAp6wHhd8zLBdCVg72sFgqmlmbhkYw4aA8NsqIFoYUw==',
  'base64',
);
const unchecked = Buffer.from(
  'KLUv/QBILQ0A1lc5GXBNoQ0wAiMEhXxDqugP1iI3t0zJyPe/64lGACoAKwAenkpHdL4+V1Qes5XHI8DEhCgGxJBQDIaFQcPCQiFhQWEEDHEYilEgsLBgcBgBQxZDMRoQFg+LETAOCAYWGoZiLBQiGoZE5JJZG3LmKiPm8+aHpu7QnLk3VaolKx5/k7PmPixVOEI5msZq5yXzxh55nhqLxLIjOes/X8SxmfZstjSSTiE/vbBqocz8bHxFHaPTyiUt2utn9LopCgATE7Rx69viTm2m6Y946Lz2JFapkaqV5b2VSkeZWsQlL+2RyFZHSmQfH4CvqCF01vt/B5BzkuoS+FENwUWaCIpQorx2vyKRDUz9qrzbplcdxNy9G1AS+EJfDJVfQ9+9kJEX4OAYyf0wvGE/nEx+RkHFz+pdna4Nr+Rk7CJsi1Wf8vIWsNInx0Xoo5YL+7/RZQQVdtBMnrzlJ0gBluOQI8wQpAS0VAazVetnTPDSamugZbk5NTJodOGBtRB2wuFDnpQfVZhVGYLGGCCnKl711ia/zbck6OAD4+DL/Bgkfq+G1QYREA9UBQ==',
  'base64',
);

const events = Array.from({ length: 60 }, (_, i) => {
  return `{"type":"track","event":"e${i % 7}","userId":"u${(i * 7919) % 1000}","properties":{"x":${i * i}}}\n`;
}).join('');

async function inflate(
  chunks: readonly Buffer[],
): Promise<{ text: string; error?: string; largest: number }> {
  const pieces: Buffer[] = [];
  let error: string | undefined;
  try {
    for await (const piece of unzstd(chunksOf(chunks))) pieces.push(piece);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(SourceError);
    error = (thrown as Error).message;
  }
  const largest = Math.max(0, ...pieces.map(({ length }) => length));
  return { text: Buffer.concat(pieces).toString(), ...(error && { error }), largest };
}

interface Block {
  readonly text: string;
  /** How often the text, of one byte, is repeated. */
  readonly times?: number;
}

/** A frame of raw and repeated blocks: RFC 8878 section 3.1.1. */
function frame(blocks: readonly Block[], { hasChecksum = false, window = 0x58 } = {}): Buffer {
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, hasChecksum ? 4 : 0, window])];
  const hash = hashes.create64();
  for (const [i, { text, times }] of blocks.entries()) {
    const size = times ?? Buffer.byteLength(text);
    const header = (size << 3) | (times === undefined ? 0 : 2) | (i === blocks.length - 1 ? 1 : 0);
    parts.push(Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16]), Buffer.from(text));
    hash.update(Buffer.from(text.repeat(times ?? 1)));
  }
  const sum = Buffer.alloc(hasChecksum ? 4 : 0);
  if (hasChecksum) sum.writeUInt32LE(Number(hash.digest() & 0xffffffffn));
  return Buffer.concat([...parts, sum]);
}

const skippable = Buffer.concat([
  Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 5, 0, 0, 0]),
  Buffer.from('notes'),
]);

describe('zstd data', () => {
  it.each<[string, Buffer, string]>([
    ['of the zstd tool with a checksum', checked, events],
    ['of the zstd tool without a checksum', unchecked, events],
    ['of several frames', Buffer.concat([checked, unchecked, checked]), events.repeat(3)],
    ['with skippable frames', Buffer.concat([skippable, checked, skippable]), events],
    ['of raw and repeated blocks', frame([{ text: 'ab\n' }, { text: 'x', times: 3 }]), 'ab\nxxx'],
    ['of empty blocks', frame([{ text: '' }, { text: 'a' }, { text: '' }]), 'a'],
    ['of an empty frame', frame([{ text: '' }]), ''],
    ['that is empty', Buffer.alloc(0), ''],
  ])('%s becomes its text', async (_what, bytes, text) => {
    for (const size of [1, 3, 1_000_000]) {
      expect(await inflate(inChunksOf(size, bytes))).toMatchObject({ text });
      expect(await inflate(inChunksOf(size, bytes))).not.toHaveProperty('error');
    }
  });

  const [a, b] = [frame([{ text: 'a\n' }], { hasChecksum: true }), frame([{ text: 'b\n' }])];

  it.each<[string, Buffer, string, string]>([
    [
      'junk behind a frame',
      Buffer.concat([a, Buffer.from('{"a":1}')]),
      'a\n',
      'other data follows the zstd data',
    ],
    [
      'a byte behind a frame',
      Buffer.concat([a, Buffer.from([0x28, 0xb5, 0])]),
      'a\n',
      'other data follows the zstd data',
    ],
    [
      'a frame cut in its magic',
      Buffer.concat([a, b.subarray(0, 2)]),
      'a\n',
      'the zstd data is truncated',
    ],
    [
      'a skippable frame cut off',
      Buffer.concat([a, skippable.subarray(0, 9)]),
      'a\n',
      'the zstd data is truncated',
    ],
    [
      'a wrong checksum',
      Buffer.concat([a.subarray(0, -1), Buffer.from([a.at(-1)! ^ 1])]),
      'a\n',
      'the zstd data is damaged',
    ],
    ['another magic', Buffer.from('abcdefgh'), '', 'the zstd data is damaged'],
    [
      'a block of a reserved type',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 7, 0, 0]),
      '',
      'the zstd data is damaged',
    ],
    [
      'a window of 1 GB',
      frame([{ text: 'a' }], { window: 20 << 3 }),
      '',
      'the zstd data needs a window of more than 128 MB',
    ],
    [
      'a dictionary',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0x58, 9, 1, 0, 0]),
      '',
      'the zstd data needs a dictionary',
    ],
    [
      'less content than its header says',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 9, 0, 0, 0x61]),
      'a',
      'the zstd data is damaged',
    ],
  ])('with %s ends with an error after the text before', async (_what, bytes, text, error) => {
    expect(await inflate([bytes])).toMatchObject({ text, error });
    expect(await inflate(inChunksOf(1, bytes))).toMatchObject({ text, error });
  });

  it('is truncated wherever it is cut', async () => {
    const two = Buffer.concat([checked, frame([{ text: 'end' }], { hasChecksum: true })]);
    for (let end = 1; end < two.length; end++) {
      const { text, error } = await inflate([two.subarray(0, end)]);
      expect(events.startsWith(text) || text === `${events}end`).toBe(true);
      if (end !== checked.length) expect(error).toBe('the zstd data is truncated');
    }
  });

  it('is never another text, whatever bit of it is changed, if it has a checksum', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(checked.length - 1), fc.nat(7), async (at, bit) => {
        const bytes = Buffer.from(checked);
        bytes[at]! ^= 1 << bit;
        const { text, error } = await inflate([bytes]);
        // A bit that is not used, or allows a larger window, changes nothing.
        if (error === undefined) expect(text).toBe(events);
      }),
      { numRuns: runs(200) },
    );
  });

  it('comes in small pieces, however much text a few bytes become', async () => {
    const bomb = frame(Array.from({ length: 200 }, () => ({ text: ' ', times: 128 * 1024 })));
    expect(bomb.length).toBeLessThan(1_000);
    let [count, largest] = [0, 0];
    for await (const piece of unzstd(chunksOf([bomb]))) {
      count += piece.length;
      largest = Math.max(largest, piece.length);
    }
    expect([count, largest]).toEqual([200 * 128 * 1024, 128 * 1024]);
  });

  it('is the same wherever chunks end', async () => {
    const block = fc.record({ text: fc.string({ unit: fc.constantFrom('a', '\n', '{') }) });
    const frames = fc.array(
      fc.tuple(fc.array(block, { minLength: 1, maxLength: 4 }), fc.boolean()),
    );
    await fc.assert(
      fc.asyncProperty(frames, fc.array(fc.nat()), async (list, places) => {
        const bytes = Buffer.concat(
          list.map(([blocks, hasChecksum]) => frame(blocks, { hasChecksum })),
        );
        const text = list.flatMap(([blocks]) => blocks.map((one) => one.text)).join('');
        expect((await inflate(cutAt(bytes, places))).text).toBe(text);
      }),
      { numRuns: runs(200) },
    );
  });
});
