import type { ColumnSource } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { isParquet, parquetLines, rowGroupsOf } from '../../../src/sources/formats/parquet.js';
import { readRejected } from '../../../src/sources/formats/rejected-line.js';
import { SourceError } from '../../../src/sources/source-error.js';
import { fileOf, linesOf, Memory, read, typedFile, type SchemaElement } from './parquet-files.js';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

describe('a Parquet file as NDJSON', () => {
  it('has a line for each row, without members for NULL', async () => {
    const file = fileOf([
      { name: 'a', data: ['x"\n', null, 'ü'] },
      { name: 'n', data: [1, 2, null], type: 'INT32' },
      { name: 'dot.ted', data: [null, true, null], type: 'BOOLEAN' },
      { name: '__proto__', data: [null, null, 'p'], type: 'STRING' },
    ]);
    expect(isParquet(file)).toBe(true);
    expect(isParquet(Buffer.from('{"a":1}'))).toBe(false);
    expect(await linesOf(file)).toEqual([
      String.raw`{"a":"x\"\n","n":1}`,
      '{"n":2,"dot.ted":true}',
      '{"a":"ü","__proto__":"p"}',
    ]);
  });

  it.each<[string, Partial<SchemaElement>, unknown[], string[]]>([
    [
      'integers of 64 bits',
      { type: 'INT64' },
      [9007199254740993n, -1n],
      ['9007199254740993', '-1'],
    ],
    [
      'integers of 64 bits without sign',
      { type: 'INT64', converted_type: 'UINT_64' },
      [18446744073709551615n],
      ['18446744073709551615'],
    ],
    [
      'floats of 32 bits',
      { type: 'FLOAT' },
      [Math.fround(0.1), 1e10, NaN],
      ['0.1', '10000000000', 'null'],
    ],
    ['floats', { type: 'DOUBLE' }, [0.1, -0, Infinity, 1e300], ['0.1', '-0', 'null', '1e+300']],
    [
      'decimals',
      {
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 16,
        converted_type: 'DECIMAL',
        scale: 4,
        precision: 38,
      },
      [12345678901234567890123456789012345678n, -5n, 0n],
      ['1234567890123456789012345678901234.5678', '-0.0005', '0.0000'],
    ],
    [
      'decimals in 64 bits',
      { type: 'INT64', converted_type: 'DECIMAL', scale: 2, precision: 18 },
      [123456789012345678n],
      ['1234567890123456.78'],
    ],
    [
      'timestamps in ms',
      { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
      [1706704496789n, -1n],
      ['"2024-01-31T12:34:56.789Z"', '"1969-12-31T23:59:59.999Z"'],
    ],
    [
      'timestamps in µs',
      { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
      [1706704496789123n],
      ['"2024-01-31T12:34:56.789123Z"'],
    ],
    [
      'timestamps in ns',
      { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' } },
      [1706704496789123456n],
      ['"2024-01-31T12:34:56.789123456Z"'],
    ],
    [
      'timestamps that no ISO 8601 has',
      { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
      [9223372036854775807n],
      ['9223372036854775807'],
    ],
    [
      'dates',
      { type: 'INT32', converted_type: 'DATE' },
      [19753, -1],
      ['"2024-01-31"', '"1969-12-31"'],
    ],
    [
      'bytes',
      { type: 'BYTE_ARRAY' },
      [utf8('tëxt'), new Uint8Array([0xff, 0])],
      ['"tëxt"', '"/wA="'],
    ],
    [
      'JSON',
      { type: 'BYTE_ARRAY', converted_type: 'JSON' },
      [{ b: 15, a: [' x'] }, 'text'],
      ['{"b":15,"a":[" x"]}', '"text"'],
    ],
    [
      'UUIDs',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
      ['00112233-4455-6677-8899-aabbccddeeff'],
      ['"00112233-4455-6677-8899-aabbccddeeff"'],
    ],
  ])('keeps %s', async (_what, element, values, expected) => {
    // Often enough for a dictionary, and without one.
    for (const times of [1, 40]) {
      const data = Array.from({ length: times }, () => values).flat();
      const lines = await linesOf(typedFile(element, data));
      expect(lines.slice(-values.length)).toEqual(expected.map((text) => `{"v":${text}}`));
    }
  });

  it('has structs, lists and maps', async () => {
    const file = fileOf(
      [
        { name: 's', data: [{ x: 1, y: 'a' }, { x: null, y: 'b' }, null] },
        { name: 'l', data: [[1n, null, 2n], [], null] },
      ],
      {
        schema: [
          { name: 'root', num_children: 2 },
          { name: 's', num_children: 2, repetition_type: 'OPTIONAL' },
          { name: 'x', type: 'INT32', repetition_type: 'OPTIONAL' },
          { name: 'y', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
          { name: 'l', num_children: 1, converted_type: 'LIST', repetition_type: 'OPTIONAL' },
          { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
          { name: 'element', type: 'INT64', repetition_type: 'OPTIONAL' },
        ],
      },
    );
    expect(await linesOf(file)).toEqual([
      '{"s":{"x":1,"y":"a"},"l":[1,null,2]}',
      '{"s":{"y":"b"},"l":[]}',
      '{}',
    ]);
  });

  it('rejects a row whose text is not UTF-8', async () => {
    const element = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
    const file = typedFile({ type: 'BYTE_ARRAY' }, [utf8('ab'), utf8('cd')]);
    const bad = typedFile(element, ['ab', 'cd']);
    const at = bad.indexOf('cd');
    bad[at] = 0xff;
    expect(file.length).toBeGreaterThan(0);
    const lines = await linesOf(bad);
    expect(lines[0]).toBe('{"v":"ab"}');
    expect(readRejected(Buffer.from(lines[1]!))).toMatchObject({
      code: 'not_utf8',
      message: 'the column "v" is not valid UTF-8',
    });
  });

  const rows = 3_000;
  const many = (offsetIndex: boolean): ColumnSource[] =>
    [
      { name: 'id', data: Array.from({ length: rows }, (_, i) => `id-${i}`), offsetIndex },
      { name: 'kind', data: Array.from({ length: rows }, (_, i) => `k${i % 3}`), offsetIndex },
      {
        name: 'n',
        data: Array.from({ length: rows }, (_, i) => (i % 7 ? i : null)),
        offsetIndex,
      },
      {
        name: 's',
        data: Array.from({ length: rows }, (_, i) => ({ a: i, b: `b${i}`.repeat(3) })),
        offsetIndex,
      },
      { name: 'l', data: Array.from({ length: rows }, (_, i) => [i, i + 1]), offsetIndex },
    ].map((column) => column as ColumnSource);
  const row = (i: number): string => {
    const n = i % 7 ? `"n":${i},` : '';
    return `{"id":"id-${i}","kind":"k${i % 3}",${n}"s":{"a":${i},"b":"${`b${i}`.repeat(3)}"},"l":[${i},${i + 1}]}`;
  };
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 5 },
    { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'kind', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'n', type: 'INT32', repetition_type: 'OPTIONAL' },
    { name: 's', num_children: 2, repetition_type: 'OPTIONAL' },
    { name: 'a', type: 'INT32', repetition_type: 'OPTIONAL' },
    { name: 'b', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'l', num_children: 1, converted_type: 'LIST', repetition_type: 'OPTIONAL' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { name: 'element', type: 'INT32', repetition_type: 'OPTIONAL' },
  ];
  const plain = many(false);
  const indexed = many(true);

  it.each([
    ['with an index of pages', indexed],
    ['without one', plain],
  ])(
    'is the same from any row on, and to any, in small pages and several row groups, %s',
    async (_what, columns) => {
      const file = fileOf(columns, { schema, rowGroupSize: 1_100, pageSize: 2_000 });
      const expected = Array.from({ length: rows }, (_, i) => `${row(i)}\n`);
      expect(await read(new Memory(file))).toBe(expected.join(''));
      for (const start of [1, 7, 999, 1_100, 2_999, rows])
        expect(await read(new Memory(file), start)).toBe(expected.slice(start).join(''));
      for (const [from, to] of [
        [0, 1],
        [1_100, 2_200],
        [999, 1_101],
        [2_200, rows],
        [5, 5],
      ])
        expect(await read(new Memory(file), from, to)).toBe(expected.slice(from, to).join(''));
      expect(await rowGroupsOf(new Memory(file))).toEqual([1_100, 1_100, 800]);
    },
  );

  it('is read page by page', async () => {
    const columns = [
      { name: 'id', data: Array.from({ length: 50_000 }, (_, i) => `identifier ${i * 7919}`) },
    ];
    const source = new Memory(
      fileOf(columns, { rowGroupSize: 50_000, pageSize: 10_000, codec: 'UNCOMPRESSED' }),
    );
    expect((await read(source)).split('\n').length).toBe(50_001);
    expect(source.size).toBeGreaterThan(1_000_000);
    // The metadata are looked for in the last 512 KB.
    expect(source.largest).toBeLessThanOrEqual(512 * 1024);
  });

  it('ends with an error after the rows before, if it is damaged', async () => {
    const file = fileOf(plain, { schema, rowGroupSize: 1_000, pageSize: 2_000 });
    const at = Math.floor(file.length / 2);
    file.fill(0xff, at, at + 2_000);
    const chunks: Buffer[] = [];
    const reading = (async () => {
      for await (const chunk of parquetLines(new Memory(file))) chunks.push(chunk);
    })();
    const error = await reading.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toBe('the Parquet data is damaged');
    const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThanOrEqual(1_000);
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, i) => row(i)));
  });

  it.each<[string, (file: Buffer) => Buffer, RegExp]>([
    ['cut off', (file) => file.subarray(0, -20), /the Parquet data is truncated/],
    ['only its magic', () => Buffer.from('PAR1'), /the Parquet data is truncated/],
    [
      'encrypted',
      (file) => Buffer.concat([file.subarray(0, -4), Buffer.from('PARE')]),
      /is encrypted/,
    ],
    [
      'of metadata longer than itself',
      (file) =>
        Buffer.concat([file.subarray(0, -8), Buffer.from([255, 255, 255, 0]), Buffer.from('PAR1')]),
      /damaged/,
    ],
  ])('is refused where it is %s', async (_what, change, message) => {
    const file = fileOf([{ name: 'a', data: ['x', 'y'] }]);
    const error = await read(new Memory(change(file))).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toMatch(message);
  });

  it('never ends otherwise than with a SourceError, whatever byte of its metadata is changed', async () => {
    const file = fileOf(
      plain.map((column) => ({ ...column, data: column.data.slice(0, 20) as unknown[] })),
      { schema },
    );
    const metadataBytes = file.readUInt32LE(file.length - 8);
    for (let at = file.length - 8 - metadataBytes; at < file.length; at += 3) {
      const changed = Buffer.from(file);
      changed[at]! ^= 0x55;
      const error = await read(new Memory(changed)).catch((thrown: unknown) => thrown);
      if (typeof error !== 'string') expect(error).toBeInstanceOf(SourceError);
    }
  });
});
