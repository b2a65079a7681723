import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../src/sources/source-error.js';
import {
  fileOf,
  handMade,
  linesOf,
  Memory,
  read,
  varInt,
  typedFile,
  type HandMade,
  type Thrift,
} from './parquet-files.js';

const [int32, int64, int96, double, byteArray] = [1, 2, 3, 5, 6];
const [required, optional, repeated] = [0, 1, 2];
const [plain, deltaBinary, deltaLength, deltaBytes, dictionary, split, alp] = [
  0, 5, 6, 7, 8, 9, 10,
];

const leaf = (type: number, repetition = required, more: Record<number, Thrift> = {}): Thrift => ({
  1: type,
  3: repetition,
  4: 'v',
  ...more,
});
const text = { 6: 0 };
const version1 = (values: number, encoding: number): Record<number, Thrift> => ({
  1: 0,
  5: { 1: values, 2: encoding, 3: 3, 4: 3 },
});
const version2 = (
  values: number,
  encoding: number,
  [definitionBytes, repetitionBytes]: [number, number] = [0, 0],
): Record<number, Thrift> => ({
  1: 3,
  8: { 1: values, 2: 0, 3: values, 4: encoding, 5: definitionBytes, 6: repetitionBytes },
});
const dictionaryPage = (values: number): Record<number, Thrift> => ({
  1: 2,
  7: { 1: values, 2: plain },
});

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
/** Nanoseconds of the day, and the Julian day. */
const time96 = (day: number, nanoseconds: bigint): Buffer => {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(nanoseconds);
  return Buffer.concat([time, uint32(2_440_588 + day)]);
};
const strings = (values: readonly string[]): Buffer =>
  Buffer.concat(values.flatMap((value) => [uint32(value.length), Buffer.from(value)]));
/** A run of one value, as RLE. */
const run = (length: number, ...value: number[]): Buffer =>
  Buffer.from([...varInt(2 * length), ...value]);
const withLength = (bytes: Buffer): Buffer => Buffer.concat([uint32(bytes.length), bytes]);
/** Without copies, which the files of the writer have. */
const snappyLiteral = (bytes: Buffer): Buffer => {
  const last = bytes.length - 1;
  const head = [...varInt(bytes.length), 61 << 2, last & 0xff, last >> 8];
  return Buffer.concat([Buffer.from(head), bytes]);
};
const column = (type: number, more: Partial<HandMade> = {}): Omit<HandMade, 'pages' | 'rows'> => ({
  schema: [leaf(type)],
  path: ['v'],
  type,
  ...more,
});

describe('pages of Parquet', () => {
  const words = Array.from({ length: 20 }, (_, i) => `page ${i % 3} viewed`);
  const wordLines = words.map((word) => `{"v":"${word}"}`);
  const content = strings(words);
  const prepared = (base64: string) => () => Buffer.from(base64, 'base64');

  it.each<[string, number, (bytes: Buffer) => Uint8Array]>([
    ['nothing', 0, (bytes) => bytes],
    ['SNAPPY', 1, snappyLiteral],
    ['GZIP', 2, (bytes) => gzipSync(bytes)],
    [
      'GZIP in two members',
      2,
      (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 50)), gzipSync(bytes.subarray(50))]),
    ],
    ['GZIP with the header of zlib', 2, (bytes) => deflateSync(bytes)],
    ['BROTLI', 4, (bytes) => brotliCompressSync(bytes)],
    // Of the tools zstd 1.5 and lz4 1.9.
    [
      'LZ4 in the frame of Hadoop',
      5,
      prepared('AAABVAAAACj1Ag0AAABwYWdlIDAgdmlld2VkEQAcMREAHDIRAA8zAP8BUGlld2Vk'),
    ],
    [
      'LZ4 without a frame',
      5,
      prepared('9QINAAAAcGFnZSAwIHZpZXdlZBEAHDERABwyEQAPMwD/AVBpZXdlZA=='),
    ],
    ['ZSTD', 6, prepared('KLUv/WRUAAUBAJgNAAAAcGFnZSAwIHZpZXdlZDEyBAAeVikA7gHEUjHBN3vpRg==')],
    ['LZ4_RAW', 7, prepared('9QINAAAAcGFnZSAwIHZpZXdlZBEAHDERABwyEQAPMwD/AVBpZXdlZA==')],
  ])(
    'are read where they are compressed with %s, in both versions',
    async (_name, codec, compress) => {
      for (const header of [version1(words.length, plain), version2(words.length, plain)]) {
        const bytes = Buffer.from(compress(content));
        const pages = [{ header, bytes, textSize: content.length }];
        const schema = [leaf(byteArray, required, text)];
        const made = { ...column(byteArray, { schema, codec }), rows: words.length, pages };
        expect(await linesOf(handMade(made))).toEqual(wordLines);
        // Another length than that of the header is damage; LZ4 does not tell one.
        const tellsLength = codec !== 5 && codec !== 7;
        for (const textSize of [content.length - 1, ...(tellsLength ? [content.length + 1] : [])]) {
          const wrong = handMade({ ...made, pages: [{ header, bytes, textSize }] });
          await expect(read(new Memory(wrong))).rejects.toThrow(SourceError);
        }
      }
    },
  );

  it.each<[string, Partial<HandMade> & Pick<HandMade, 'pages' | 'rows'>, number, string[]]>([
    [
      'with levels of version 1',
      {
        schema: [leaf(int32, optional)],
        rows: 11,
        pages: [
          {
            header: version1(11, plain),
            // Eight bits packed, then a run.
            bytes: Buffer.concat([withLength(Buffer.from([3, 0b101, 6, 0])), uint32(7), uint32(9)]),
          },
        ],
      },
      int32,
      ['{"v":7}', '{}', '{"v":9}', ...new Array<string>(8).fill('{}')],
    ],
    [
      'of a dictionary in version 1',
      {
        schema: [leaf(byteArray, optional, text)],
        rows: 4,
        pages: [
          { header: dictionaryPage(2), bytes: strings(['a', 'b']) },
          {
            header: version1(4, dictionary),
            bytes: Buffer.concat([withLength(run(4, 1)), Buffer.from([1]), run(3, 1), run(1, 0)]),
          },
        ],
      },
      byteArray,
      ['{"v":"b"}', '{"v":"b"}', '{"v":"b"}', '{"v":"a"}'],
    ],
    [
      'of a dictionary of one value, without bits',
      {
        rows: 3,
        pages: [
          { header: dictionaryPage(1), bytes: uint32(5) },
          { header: version1(3, dictionary), bytes: Buffer.from([0]) },
        ],
      },
      int32,
      ['{"v":5}', '{"v":5}', '{"v":5}'],
    ],
    [
      'of times in 96 bits',
      {
        rows: 2,
        pages: [
          {
            header: version1(2, plain),
            bytes: Buffer.concat([time96(0, 0n), time96(19753, 45_296_789_123_456n)]),
          },
        ],
      },
      int96,
      ['{"v":"1970-01-01T00:00:00.000000000Z"}', '{"v":"2024-01-31T12:34:56.789123456Z"}'],
    ],
    [
      'of integers of 32 bits without sign',
      {
        schema: [leaf(int32, required, { 6: 13 })],
        rows: 2,
        pages: [
          { header: version1(2, plain), bytes: Buffer.concat([uint32(4294967295), uint32(1)]) },
        ],
      },
      int32,
      ['{"v":4294967295}', '{"v":1}'],
    ],
  ])('are read %s', async (_what, made, type, expected) => {
    expect(await linesOf(handMade({ ...column(type), ...made }))).toEqual(expected);
  });

  it('have nullable integers of 32 bits without sign', async () => {
    const data = [4294967295, null, 1];
    const file = typedFile({ type: 'INT32', converted_type: 'UINT_32' }, data);
    expect(await linesOf(file)).toEqual(['{"v":4294967295}', '{}', '{"v":1}']);
  });

  it('have maps', async () => {
    const entries = [
      { key: 'a', value: 1 },
      { key: 'b"', value: null },
    ];
    const file = fileOf([{ name: 'm', data: [entries, [], null] }], {
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'm', num_children: 1, converted_type: 'MAP', repetition_type: 'OPTIONAL' },
        { name: 'key_value', num_children: 2, repetition_type: 'REPEATED' },
        { name: 'key', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
        { name: 'value', type: 'INT32', repetition_type: 'OPTIONAL' },
      ],
    });
    expect(await linesOf(file)).toEqual([String.raw`{"m":{"a":1,"b\"":null}}`, '{"m":{}}', '{}']);
  });

  const huge = 2 ** 30;
  const list = {
    schema: [
      { 3: optional, 4: 'v', 5: 1, 6: 3 },
      { 3: repeated, 4: 'list', 5: 1 },
      { 1: int32, 3: required, 4: 'element' },
    ],
    path: ['v', 'list', 'element'],
  };
  const flat = { schema: [leaf(int32, optional)] };
  /** Block size, miniblocks in it, values, and the first. */
  const deltas = (...parts: number[]): Buffer => Buffer.from(parts.flatMap(varInt));
  const dictionaryOfOne = { header: dictionaryPage(1), bytes: uint32(5) };
  const alpVectors = Buffer.concat([
    Buffer.from([0, 0, 3]),
    uint32(8),
    uint32(4),
    Buffer.from([0, 0, 255, 255]),
    Buffer.alloc(700_000),
  ]);

  it.each<[string, number, Partial<HandMade>, Record<number, Thrift>, Buffer]>([
    [
      'a run of levels, in version 1',
      int32,
      flat,
      version1(4, plain),
      Buffer.concat([withLength(run(huge, 1)), Buffer.alloc(16)]),
    ],
    [
      'a run of levels, in version 2',
      int32,
      flat,
      version2(4, plain, [6, 0]),
      Buffer.concat([run(huge, 1), Buffer.alloc(16)]),
    ],
    [
      'a run of levels of lists, in version 1',
      int32,
      list,
      version1(4, plain),
      Buffer.concat([withLength(run(huge, 0)), withLength(run(4, 2)), Buffer.alloc(16)]),
    ],
    [
      'a run of levels of lists, in version 2',
      int32,
      list,
      version2(4, plain, [2, 6]),
      Buffer.concat([run(huge, 0), run(4, 2), Buffer.alloc(16)]),
    ],
    [
      'a second run of levels',
      int32,
      flat,
      version1(4, plain),
      Buffer.concat([withLength(Buffer.concat([run(3, 0), run(huge, 0)]))]),
    ],
    [
      'a run of indexes, in version 1',
      int32,
      {},
      version1(4, dictionary),
      Buffer.concat([Buffer.from([1]), run(huge, 0)]),
    ],
    [
      'a run of indexes, in version 2',
      int32,
      {},
      version2(4, dictionary),
      Buffer.concat([Buffer.from([1]), run(huge, 0)]),
    ],
    [
      'packed indexes of no bits',
      int32,
      {},
      version2(4, dictionary),
      Buffer.from([0, ...varInt(2 ** 31 + 1)]),
    ],
    ['a run of booleans', 0, {}, version1(4, 3), withLength(run(huge, 1))],
    ['miniblocks', int64, {}, version1(4, deltaBinary), deltas(2 ** 31 - 8, 2 ** 28 - 1, 4, 0, 0)],
    [
      'more miniblocks than bytes',
      int64,
      {},
      version1(4, deltaBinary),
      deltas(2 ** 30, 2 ** 27, 4, 0, 0),
    ],
    [
      'an integer of a megabyte',
      int64,
      {},
      version1(4, deltaBinary),
      Buffer.concat([deltas(128, 4, 4), Buffer.alloc(1_000_000, 0xff), Buffer.from([0])]),
    ],
    [
      'the beginning of the value before',
      byteArray,
      {},
      version1(2, deltaBytes),
      // Prefixes of 0 and 2^30 bytes, suffixes of 0 and 0.
      Buffer.concat([
        deltas(128, 4, 2, 0, 2 ** 31, 0, 0, 0, 0),
        deltas(128, 4, 2, 0, 0, 0, 0, 0, 0),
      ]),
    ],
    ['values of 8 bytes', int64, {}, version1(4_000_000, plain), Buffer.alloc(64)],
    ['values in split streams', double, {}, version1(4_000_000, split), Buffer.alloc(64)],
    ['exceptions in ALP', double, {}, version1(8, alp), alpVectors],
    ['a string', byteArray, {}, version1(1, plain), Buffer.from([255, 255, 255, 127, 65])],
    [
      'nulls',
      int32,
      flat,
      { 1: 3, 8: { 1: 4, 2: 2 ** 31 - 1, 3: 4, 4: 0, 5: 2, 6: 0 } },
      run(4, 0),
    ],
    ['levels than its bytes', int32, flat, version2(4, plain, [2 ** 30, 0]), run(4, 0)],
    [
      'rows than values',
      int32,
      {},
      { 1: 3, 8: { 1: 2, 2: 0, 3: 4, 4: 0, 5: 0, 6: 0 } },
      Buffer.alloc(8),
    ],
  ])(
    'are refused where one claims more than it has: %s',
    async (_what, type, made, header, bytes) => {
      const pages = [...(type === int32 ? [dictionaryOfOne] : []), { header, bytes }];
      const rows = (header[5] as { 1: number } | undefined)?.[1] ?? 4;
      const error = await read(
        new Memory(handMade({ ...column(type), ...made, rows, pages })),
      ).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ message: 'the Parquet data is damaged' });
      expect(error).toBeInstanceOf(SourceError);
    },
  );

  it.each<[string, number, number, Record<number, Thrift>, Buffer, number?]>([
    [
      'strings without bytes',
      byteArray,
      5_000_000,
      version1(5_000_000, deltaLength),
      deltas(128, 4, 5_000_000, 0),
    ],
    [
      'copies of a long string',
      byteArray,
      1_000,
      version1(1_000, deltaBytes),
      // Each is 1000 bytes longer than the one before.
      Buffer.concat([
        deltas(8192, 1, 1_000, 0, 2_000, 0),
        deltas(8192, 1, 1_000, 2_000, 0, 0),
        Buffer.alloc(1_000_000),
      ]),
    ],
    ['bytes', byteArray, 1, version1(1, plain), Buffer.alloc(16), 2 ** 31 - 1],
    ['values', int32, 2 ** 27, version1(2 ** 27, plain), Buffer.alloc(16)],
  ])(
    'are refused where one has too many: %s',
    async (_what, type, rows, header, bytes, textSize) => {
      const pages = [{ header, bytes, ...(textSize !== undefined && { textSize }) }];
      const file = handMade({ ...column(type), rows, pages });
      await expect(read(new Memory(file))).rejects.toThrow(
        'a page of the Parquet data is too large',
      );
    },
  );

  it('of lists in version 1 are read with and without an index of the file', async () => {
    // Two rows in each: [a, a + 1] and NULL.
    const page = (first: number, more: { firstRow?: number; shift?: number } = {}) => ({
      header: version1(3, plain),
      bytes: Buffer.concat([
        withLength(Buffer.from([3, 0b010])),
        withLength(Buffer.concat([run(2, 2), run(1, 0)])),
        uint32(first),
        uint32(first + 1),
      ]),
      ...more,
    });
    const made = { ...column(int32), ...list, rows: 4 };
    const lines = ['{"v":[1,2]}', '{}', '{"v":[5,6]}', '{}'];
    expect(await linesOf(handMade({ ...made, pages: [page(1), page(5)] }))).toEqual(lines);
    const indexed = [page(1, { firstRow: 0 }), page(5, { firstRow: 2 })];
    const file = handMade({ ...made, pages: indexed });
    expect(await linesOf(file)).toEqual(lines);
    expect(await read(new Memory(file), 2)).toBe(`${lines.slice(2).join('\n')}\n`);
    for (const shift of [-50, -1, 1, 50]) {
      const wrong = [page(1, { firstRow: 0 }), page(5, { firstRow: 2, shift })];
      const reading = read(new Memory(handMade({ ...made, pages: wrong })));
      await expect(reading).rejects.toThrow('the Parquet data is damaged');
    }
  });

  it('are refused where nested values would become too many arrays', async () => {
    const rows = 9_000_000;
    const schema = [
      { 3: optional, 4: 'v', 5: 1 },
      { 1: int32, 3: optional, 4: 'x' },
    ];
    const pages = [{ header: version1(rows, plain), bytes: withLength(run(rows, 0)) }];
    const file = handMade({ schema, path: ['v', 'x'], type: int32, rows, pages });
    await expect(read(new Memory(file))).rejects.toThrow('a page of the Parquet data is too large');
  });

  it('are refused where they have indexes of no dictionary', async () => {
    const bytes = Buffer.concat([Buffer.from([1]), run(2, 1)]);
    const pages = [{ header: version2(2, dictionary), bytes }];
    const file = handMade({ ...column(int32), rows: 2, pages });
    await expect(read(new Memory(file))).rejects.toThrow('the Parquet data is damaged');
  });
});
