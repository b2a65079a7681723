import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.js';
import { csvLines, type CsvFileOptions } from '../../../src/sources/formats/csv.js';
import { readRejected } from '../../../src/sources/formats/rejected-line.js';
import { chunksOf } from '../../helpers/chunks.js';

const commas: CsvFileOptions = { separator: ',', name: 'orders.csv' };

async function decode(
  text: string | Buffer,
  options: Partial<CsvFileOptions> = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of csvLines(chunksOf([Buffer.from(text)]), { ...commas, ...options }))
    chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The lines; of a rejected record, its code and bytes. */
async function lines(
  text: string | Buffer,
  options: Partial<CsvFileOptions> = {},
): Promise<string[]> {
  return (await decode(text, options)).split('\n').map((line) => {
    const rejected = readRejected(Buffer.from(line));
    return rejected ? `${rejected.code}: ${rejected.bytes.toString()}` : line;
  });
}

describe('a CSV file as NDJSON', () => {
  it.each<[string, string, string[]]>([
    ['has text for each cell', 'a,b\nx,1\n', ['', '{"a":"x","b":"1"}', '']],
    [
      'has the members of one object together',
      'p.a,x,p.b\n1,2,3',
      ['', '{"p":{"a":"1","b":"3"},"x":"2"}'],
    ],
    [
      'nests as deep as the names',
      'a.b.c,a.b.d,a.e\n1,2,3',
      ['', '{"a":{"b":{"c":"1","d":"2"},"e":"3"}}'],
    ],
    ['leaves out empty cells', 'a,b,c\n,x,\n', ['', '{"b":"x"}', '']],
    [
      'leaves out objects without members',
      'a.b,c.d,e\n,,1\n,2,\n',
      ['', '{"e":"1"}', '{"c":{"d":"2"}}', ''],
    ],
    ['has an empty text for a quoted empty cell', 'a,b\n"",1', ['', '{"a":"","b":"1"}']],
    ['has an empty object for empty cells', 'a,b\n,\n', ['', '{}', '']],
    [
      'escapes what JSON escapes',
      'a\n"x""\\\ty\r\nz\u0001"',
      ['', String.raw`{"a":"x\"\\\ty\r\nz\u0001"}`, ''],
    ],
    ['keeps other characters', 'ä€\n😀\u2028\u007f', ['', '{"ä€":"😀\u2028\u007f"}']],
    [
      'keeps the line numbers of the file',
      '\ufeff\na,b\r\n\n"x\n\ny",1\r\n \n2,3',
      ['', '', '', '{"a":"x\\n\\ny","b":"1"}', '', '', '', '{"a":"2","b":"3"}'],
    ],
    [
      'has JSON values where the name says so',
      'a:=,b.c:=\n1.50,"{""x"": [1,\n2]}"\n,""\n12x,1\n12345678901234567890,null\n',
      [
        '',
        '{"a":1.50,"b":{"c":{"x": [1, 2]}}}',
        '',
        'cell_not_json: ,""',
        'cell_not_json: 12x,1',
        '{"a":12345678901234567890,"b":{"c":null}}',
        '',
      ],
    ],
    [
      'has any name',
      '__proto__,__proto__x.constructor,"q""x"\n1,2,3',
      ['', String.raw`{"__proto__":"1","__proto__x":{"constructor":"2"},"q\"x":"3"}`],
    ],
    [
      'rejects a record with another number of cells',
      'a,b\n1\n1,2,3\n4,5',
      ['', 'wrong_cell_count: 1', 'wrong_cell_count: 1,2,3', '{"a":"4","b":"5"}'],
    ],
    [
      'loses only the line of a quote that is not closed',
      'a,b\n"1,2\n3,4\n"5"x,6\n7,8',
      ['', 'bad_quotes: "1,2', '{"a":"3","b":"4"}', 'bad_quotes: "5"x,6', '{"a":"7","b":"8"}'],
    ],
    ['is empty if the file is', '', ['']],
    ['has no records if there is only a header', 'a,b\n', ['', '']],
  ])('%s', async (_what, text, expected) => {
    expect(await lines(text)).toEqual(expected);
  });

  it.each([';', '\t'] as const)('is separated by %j', async (separator) => {
    const text = ['a,x', 'b.c', 'd\n1', '', '"2,3"\n', '', ''].join(separator);
    expect(await lines(text, { separator })).toEqual(['', '{"a,x":"1","d":"2,3"}', '{}']);
  });

  it('has the names that are given for a file without a header, and quotes as text', async () => {
    const options = { separator: '\t', columns: ['a', 'b:='], hasQuotes: false } as const;
    expect(await lines('"x\t{"y": 1}\nz"\t"q"\n', options)).toEqual([
      String.raw`{"a":"\"x","b":{"y": 1}}`,
      String.raw`{"a":"z\"","b":"q"}`,
      '',
    ]);
  });

  it('rejects a record that is not UTF-8 with its own bytes', async () => {
    const bad = Buffer.from([0x31, 0xff, 0x2c, 0x32]);
    const text = await decode(
      Buffer.concat([Buffer.from('a,b\n1,é\n'), bad, Buffer.from('\n3,4')]),
    );
    const found = text.split('\n');
    expect(found[1]).toBe('{"a":"1","b":"é"}');
    expect(readRejected(Buffer.from(found[2]!))).toEqual({
      code: 'not_utf8',
      message: 'the line is not valid UTF-8',
      bytes: bad,
    });
    expect(found[3]).toBe('{"a":"3","b":"4"}');
  });

  it('rejects a line beyond the limit with its beginning', async () => {
    const [, long, last] = await lines(`a\n${'x'.repeat(3 * 1024 * 1024)}\ny`);
    expect(long).toBe(`line_too_long: ${'x'.repeat(64 * 1024)}`);
    expect(last).toBe('{"a":"y"}');
  });

  it('names the column whose cell is not JSON', async () => {
    const rejected = readRejected(
      Buffer.from((await decode('x,p.total:=\n1,abc')).split('\n')[1]!),
    );
    expect(rejected?.message).toMatch(/the column "p\.total" is not JSON/);
  });

  it.each<[string, RegExp]>([
    ['a,b,a', /^orders\.csv: the header has two columns "a"/],
    ['a,a:=', /two columns "a"/],
    ['a,a.b', /the columns "a" and "a\.b"/],
    ['a.b.c,x,a.b', /the columns "a\.b" and "a\.b\.c"/],
    ['a.b,a.b.c.d', /the columns "a\.b" and "a\.b\.c\.d"/],
    ['a,,b', /column 2 of the header has no name/],
    ['a,"b\nc', /the header cannot be read: a quote is not closed/],
    [`a,${'b'.repeat(1_001)}`, /column 2 .* more than 1000 bytes/],
    ['a.'.repeat(400), /column 1 .* nests more than 200 levels/],
  ])('needs other names than those of %j', async (header, message) => {
    const error = await decode(`${header}\n1,2,3`).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(message);
  });

  it('has the records before an error of the file', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield* chunksOf([Buffer.from('a\n1\n2\n3')]);
      throw new Error('truncated');
    }
    const chunks: Buffer[] = [];
    const reading = (async () => {
      for await (const chunk of csvLines(broken(), commas)) chunks.push(chunk);
    })();
    await expect(reading).rejects.toThrow('truncated');
    expect(Buffer.concat(chunks).toString()).toBe('\n{"a":"1"}\n{"a":"2"}\n');
  });

  it('comes in chunks of about 64 KB, however large the file and its chunks are', async () => {
    const file = Buffer.from(`a,b\n${'some text,\n'.repeat(200_000)}${'\n'.repeat(500_000)}`);
    const sizes: number[] = [];
    for await (const chunk of csvLines(chunksOf([file]), commas)) sizes.push(chunk.length);
    expect(Math.max(...sizes)).toBeLessThan(256 * 1024);
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(32 * 1024);
  });
});
