import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRows } from '../../src/audience/read-rows.js';
import type { AudienceKind, Row } from '../../src/audience/row.js';
import { UsageError } from '../../src/errors.js';
import type { Problem } from '../../src/events/event.js';
import { findInputs } from '../../src/sources/find-inputs.js';
import { BrokenInputError } from '../../src/sources/broken-input.js';
import { folderWith } from '../helpers/folder.js';

async function read(
  content: string | Buffer,
  kind: AudienceKind = 'sync',
  name = 'list',
  onBroken?: (error: BrokenInputError) => void,
): Promise<(Row | Problem)[]> {
  const file = join(folderWith({ [name]: content }), name);
  const [input] = await findInputs([file]);
  const items: (Row | Problem)[] = [];
  const list = { file, kind, property: 'vip' };
  for await (const batch of readRows(input!, list, onBroken ? { onBroken } : {})) {
    items.push(...batch);
  }
  return items;
}

/** `id=value` of a row, the code and line of a problem. */
function shown(items: readonly (Row | Problem)[]): string[] {
  return items.map((item) =>
    'code' in item
      ? `${item.code}:${item.origin.line}`
      : `${item.id.toString()}=${item.value.toString()}`,
  );
}

describe('a list of members', () => {
  it.each<[string, string, string]>([
    ['NDJSON by its name', 'list.ndjson', '{"userId":"a"}\n{"x":1,"userId":7}\n'],
    ['NDJSON by its first character', 'list', '\ufeff \n{"userId":"a"}\r\n{"userId":7}'],
  ])('is read from %s', async (_what, name, content) => {
    expect(shown(await read(content, 'sync', name))).toEqual(['"a"=true', '7=true']);
  });

  it.each<[string, string, string]>([
    ['by its name', 'list.csv', '\ufeffuserId\na\n7\n'],
    ['by its first character', 'list', 'name,userId\r\n"A, B",a\r\n"C\nD",7\r\n'],
    ['with spaces around the names of columns', 'list.CSV', '"x", userId \n1,a\n2,7'],
  ])('is read from CSV %s', async (_what, name, content) => {
    expect(shown(await read(content, 'sync', name))).toEqual(['"a"=true', '"7"=true']);
  });

  it('keeps ids byte for byte, and identifies the user of any spelling', async () => {
    const rows = await read('{"userId":"\\u0061"}\n{"userId":12345678901234567890}\n');
    expect(shown(rows)).toEqual(['"\\u0061"=true', '12345678901234567890=true']);
    expect(rows.map((row) => (row as Row).user.toString())).toEqual(['a', '12345678901234567890']);
  });

  it('distinguishes users whose ids have lone surrogates', async () => {
    const rows = await read('{"userId":"\\ud800"}\n{"userId":"\\ud801"}\n{"userId":"\\ufffd"}\n');
    expect(new Set(rows.map((row) => (row as Row).user.toString('hex'))).size).toBe(3);
  });

  it('reports each invalid line of NDJSON, and continues', async () => {
    const lines = [
      'oops',
      '["a"]',
      '{}',
      '{"userId":" "}',
      '{"userId":null}',
      '{"userId":true}',
      '{"userId":"a","userId":"b"}',
      '{"userId":"a","x":1,"x":2}',
      `{"userId":"${'a'.repeat(33_000)}"}`,
      `{"userId":"a","x":"${'a'.repeat(1_100_000)}"}`,
      '{"userId":"good"}',
    ];
    expect(shown(await read(lines.join('\n'), 'sync', 'l.ndjson'))).toEqual([
      'not_json:1',
      'not_an_event:2',
      'missing_user_id:3',
      'missing_user_id:4',
      'missing_user_id:5',
      'invalid_id:6',
      'repeated_member:7',
      'repeated_member:8',
      'too_large:9',
      'line_too_long:10',
      '"good"=true',
    ]);
  });

  it('reports each invalid record of CSV, and continues', async () => {
    const bytes = Buffer.concat([
      Buffer.from('userId,name\n ,x\na\nb,1,2\n"c"d,1\n'),
      Buffer.from([0xff, 0x2c, 0x0a]),
      Buffer.from('good,"x\ny"\n"open,1\nlast,1\n'),
    ]);
    expect(shown(await read(bytes, 'sync', 'l.csv'))).toEqual([
      'missing_user_id:2',
      'wrong_cell_count:3',
      'wrong_cell_count:4',
      'bad_quotes:5',
      'not_utf8:6',
      '"good"=true',
      'bad_quotes:9',
      '"last"=true',
    ]);
  });

  it.each<[string, AudienceKind, string, RegExp]>([
    ['another name', 'sync', 'user_id\na\n', /the header "user_id" has no column userId/],
    ['semicolons', 'sync', 'userId;name\na;b\n', /the header "userId;name" has no column userId/],
    ['two of them', 'sync', 'userId,userId\na,b\n', /has two columns userId/],
    ['no values', 'trait', 'userId\na\n', /has no column value/],
    ['nothing at all', 'sync', '', /it has no column userId/],
  ])('of CSV needs its columns: %s', async (_what, kind, content, message) => {
    const error = await read(content, kind, 'l.csv').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(message);
  });

  it('is not buffered forever after leading whitespace', async () => {
    const space = '\n'.repeat(3 * 1024 * 1024);
    const file = join(folderWith({ list: gzipSync(`${space}{"userId":"a"}`) }), 'list');
    const [input] = await findInputs([file]);
    const batches: (Row | Problem)[][] = [];
    const list = { file, kind: 'sync' as const, property: 'vip' };
    for await (const batch of readRows(input!, list)) batches.push(batch);
    expect(shown(batches.flat())).toEqual(['"a"=true']);
    expect(batches.length).toBeGreaterThan(100);
  });

  it('is empty if the file is', async () => {
    expect(await read('\n \n')).toEqual([]);
  });

  it.each([
    ['NDJSON', 'list.ndjson', (n: number) => `{"userId":"u${n}"}\n`],
    ['CSV', 'list.csv', (n: number) => (n === 0 ? 'userId\n' : `u${n}\n`)],
  ])('of truncated %s has only whole lines', async (_what, name, line) => {
    const text = Array.from({ length: 5_000 }, (_, n) => line(n * 7_919)).join('');
    const whole = await read(text, 'sync', name);
    const packed = gzipSync(text);
    const errors: BrokenInputError[] = [];
    const cut = packed.subarray(0, packed.length / 2);
    const part = await read(cut, 'sync', name, (error) => errors.push(error));
    expect(errors[0]?.message).toMatch(/the gzip data is truncated/);
    expect(part.length).toBeGreaterThan(100);
    expect(shown(part)).toEqual(shown(whole).slice(0, part.length));
    await expect(read(cut, 'sync', name)).rejects.toBeInstanceOf(BrokenInputError);
  });
});

describe('a list of values', () => {
  it('of NDJSON has them byte for byte', async () => {
    const values = [
      '1.0',
      '1e400',
      '-0',
      '12345678901234567890',
      '{ "a":[1 ,2]}',
      'null',
      '"\\u0041"',
    ];
    const lines = values.map((value, i) => `{"userId":"u${i}","value":${value} }`);
    const rows = await read(lines.join('\n'), 'trait');
    expect(rows.map((row) => (row as Row).value.toString())).toEqual(values);
  });

  it.each([
    ['12', '12'],
    ['12.50', '12.50'],
    ['-1e400', '-1e400'],
    ['12345678901234567890', '12345678901234567890'],
    ['true', 'true'],
    ['FALSE', 'false'],
    ['"12"', '"12"'],
    ['"true"', '"true"'],
    ['""', '""'],
    ['01234', '"01234"'],
    ['+49 30', '"+49 30"'],
    ['1.', '"1."'],
    ['.5', '".5"'],
    ['0x10', '"0x10"'],
    ['NaN', '"NaN"'],
    ['null', '"null"'],
    [' 12', '" 12"'],
    ['gold', '"gold"'],
    ['"say ""hi"""', String.raw`"say \"hi\""`],
    ['{}', '"{}"'],
  ])('of CSV reads the cell %s as %s', async (cell, value) => {
    const [row] = await read(`userId,value\nu,${cell}\n`, 'trait');
    expect((row as Row).value.toString()).toBe(value);
  });

  it('rejects a row without a value', async () => {
    expect(shown(await read('userId,value\na,\nb,1\n', 'trait'))).toEqual([
      'missing_value:2',
      '"b"=1',
    ]);
    expect(shown(await read('{"userId":"a"}\n', 'trait'))).toEqual(['missing_value:1']);
  });

  it('rejects values that are too large or too deep for an event', async () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    const lines = [`"${'x'.repeat(33_000)}"`, nested(198), nested(199)];
    const text = lines.map((value, i) => `{"userId":"u${i}","value":${value}}`).join('\n');
    expect(shown(await read(text, 'trait')).map((item) => item.slice(0, 11))).toEqual([
      'too_large:1',
      `"u1"=${'['.repeat(6)}`,
      'too_deep:3',
    ]);
  });

  it('reads any text from CSV as it was written', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
    const user = text.filter((id) => id.trim() !== '');
    await fc.assert(
      fc.asyncProperty(user, text, async (id, value) => {
        const [row] = await read(
          `value,userId\n${quoted(value)},${quoted(id)}\n`,
          'trait',
          'l.csv',
        );
        expect(JSON.parse((row as Row).id.toString())).toBe(id);
        expect(JSON.parse((row as Row).value.toString())).toBe(value);
      }),
      { numRuns: 50 },
    );
  });
});
