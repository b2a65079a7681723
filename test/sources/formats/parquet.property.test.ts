import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ColumnSource } from 'hyparquet-writer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../src/sources/source-error.js';
import { runs } from '../../helpers/property-runs.js';
import { fileOf, Memory, read, typedFile } from './parquet-files.js';

const compressors = {
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes),
};

const strings = Array.from({ length: 40 }, (_, i) => (i % 5 ? `name ${i % 7}` : null));
const numbers = Array.from({ length: 40 }, (_, i) => (i % 6 ? i * 7919 - 99 : null));
const bytes = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const options = { codec: 'UNCOMPRESSED' } as const;
const nested: ColumnSource[] = [
  { name: 'l', data: Array.from({ length: 20 }, (_, i) => (i % 4 ? [i, null, i + 1] : [])) },
  { name: 's', data: Array.from({ length: 20 }, (_, i) => (i % 3 ? { x: i } : null)) },
];
const nestedFile = fileOf(nested, {
  ...options,
  statistics: false,
  schema: [
    { name: 'root', num_children: 2 },
    { name: 'l', num_children: 1, converted_type: 'LIST', repetition_type: 'OPTIONAL' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { name: 'element', type: 'INT32', repetition_type: 'OPTIONAL' },
    { name: 's', num_children: 1, repetition_type: 'OPTIONAL' },
    { name: 'x', type: 'INT32', repetition_type: 'OPTIONAL' },
  ],
});

const files: [string, Buffer][] = [
  ['PLAIN', typedFile(bytes, strings, { ...options, encoding: 'PLAIN' })],
  ['RLE_DICTIONARY', typedFile(bytes, strings, options)],
  [
    'RLE',
    typedFile(
      { type: 'BOOLEAN' },
      numbers.map((n) => n && n % 2 === 0),
      options,
    ),
  ],
  ...(['DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'] as const).map(
    (encoding): [string, Buffer] => [encoding, typedFile(bytes, strings, { ...options, encoding })],
  ),
  ...(['DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'] as const).flatMap((encoding) => [
    [encoding, typedFile({ type: 'INT32' }, numbers, { ...options, encoding })] as [string, Buffer],
    [
      `${encoding} of 64 bits`,
      typedFile(
        { type: 'INT64' },
        numbers.map((n) => n && BigInt(n)),
        { ...options, encoding },
      ),
    ] as [string, Buffer],
  ]),
  ['lists and structs', nestedFile],
  ...(['SNAPPY', 'GZIP', 'BROTLI'] as const).map((codec): [string, Buffer] => [
    codec,
    typedFile(bytes, strings, { codec, compressors }),
  ]),
];

/** Ends with rows or a SourceError; what is thrown else is thrown here. */
async function tryRead(file: Buffer): Promise<boolean> {
  try {
    await read(new Memory(file));
    return true;
  } catch (error) {
    if (error instanceof SourceError) return false;
    throw error;
  }
}

const peakBytes = (): number => process.resourceUsage().maxRSS * 1024;

describe('a damaged Parquet file', () => {
  it.each(files)(
    'ends with rows or a SourceError, whatever byte is changed, in little memory: %s',
    async (_name, file) => {
      expect(await tryRead(file)).toBe(true);
      const before = peakBytes();
      let refused = 0;
      for (let at = 0; at < file.length; at++) {
        for (const mask of [0x01, 0x10, 0x80, 0xff]) {
          const changed = Buffer.from(file);
          changed[at]! ^= mask;
          if (!(await tryRead(changed))) refused++;
        }
      }
      expect(refused).toBeGreaterThan(0);
      // The files are of 1 KB; a damaged count may claim some million values.
      expect(peakBytes() - before).toBeLessThan(1024 ** 3);
    },
    120_000,
  );

  it('ends with rows or a SourceError, whatever bytes are changed', async () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom(0, 1, 3, 0x7f, 0x80, 0xff));
    const changes = fc.array(change, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), changes, async ([, file], places) => {
        const changed = Buffer.from(file);
        for (const [place, byte] of places) changed[place % file.length] = byte;
        expect(await tryRead(changed)).toBeTypeOf('boolean');
      }),
      { numRuns: runs(15_000) },
    );
  });
});
