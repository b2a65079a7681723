import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader } from '../../../src/sources/formats/csv-records.js';
import { cutAt } from '../../helpers/chunks.js';

interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

interface ReadRecord {
  readonly bytes: Buffer;
  readonly line: number;
  readonly offset: number;
  readonly cells: readonly Cell[] | undefined;
}

function split(text: string | Buffer, cuts: readonly number[] = []): ReadRecord[] {
  const reader = new CsvReader({ maxRecordBytes: 64 * 1024 });
  const records: ReadRecord[] = [];
  const readAll = () => {
    for (let next = reader.next(); next; next = reader.next()) {
      const { bytes, line, offset, fault, cells } = next;
      const found = Array.from({ length: cells.count }, (_, i) => {
        return { text: cells.text(i), isQuoted: cells.isQuoted(i) };
      });
      records.push({ bytes, line, offset, cells: fault ? undefined : found });
    }
  };
  for (const chunk of cutAt(Buffer.from(text), cuts)) {
    reader.push(chunk);
    readAll();
  }
  reader.end();
  readAll();
  return records;
}

function cellsOf(text: string): (string[] | undefined)[] {
  return split(text).map(({ cells }) => cells?.map((cell) => cell.text));
}

describe('the records of CSV', () => {
  it.each<[string, string, string[][]]>([
    [
      'plain cells',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'no newline at the end',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a byte order mark', '\ufeffa\nb\n', [['a'], ['b']]],
    ['blank lines', '\na\n\r\n  \nb\n\n', [['a'], ['b']]],
    [
      'empty cells',
      ',\na,\n,b',
      [
        ['', ''],
        ['a', ''],
        ['', 'b'],
      ],
    ],
    [
      'quoted commas and newlines',
      '"a,b","c\r\nd\n\ne"\nf,g\n',
      [
        ['a,b', 'c\r\nd\n\ne'],
        ['f', 'g'],
      ],
    ],
    [
      'doubled quotes',
      '"say ""hi""",""""\n"",x\n',
      [
        ['say "hi"', '"'],
        ['', 'x'],
      ],
    ],
    ['quotes within a cell', 'a"b"c,5" pipe\n', [['a"b"c', '5" pipe']]],
    ['a quoted cell at the very end', 'a\n"b"', [['a'], ['b']]],
  ])('are split with %s', (_what, text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });

  it.each<[string, string, (string[] | undefined)[]]>([
    ['a closing quote is followed by other text', '"a"b,c\nd,e\n', [undefined, ['d', 'e']]],
    [
      'a quote is closed by the opening one of a later record',
      `userId\n"u1\n${'user\n'.repeat(500)}"u600"\nu601\n`,
      [['userId'], undefined, ...Array<string[]>(500).fill(['user']), ['u600'], ['u601']],
    ],
    [
      'a quote is closed by the opening one of a later cell',
      'a,"b\nc,"d\ne",1\nf,g\n',
      [undefined, ['c', 'd\ne', '1'], ['f', 'g']],
    ],
    ['a carriage return follows a closing quote', '"a"\rb\nc\n', [undefined, ['c']]],
    ['a quote is not closed at the end', 'a\n"b\nc\nd\n', [['a'], undefined, ['c'], ['d']]],
    [
      'a quote is closed too late',
      `a\n"b\n${'c\n'.repeat(40_000)}"`,
      [['a'], undefined, ...Array<string[]>(40_000).fill(['c']), undefined],
    ],
    ['a line is too long', `a\n${'x'.repeat(300_000)}\nb\n`, [['a'], undefined, ['b']]],
  ])('continue with the next line if %s', (_what, text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });

  it('have their position', () => {
    const text = '\ufeffa,b\r\n"x\ny",1\n\nc,d\n';
    expect(split(text).map(({ line, offset, bytes }) => [line, offset, bytes.toString()])).toEqual([
      [1, 3, 'a,b'],
      [2, 8, '"x\ny",1'],
      [5, 17, 'c,d'],
    ]);
  });

  it('are the same however the bytes are chunked', () => {
    const piece = fc.constantFrom('a', ',', '"', '""', '\n', '\r\n', 'é', ' ', '\ufeff', '1');
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat({ max: 60 })), (pieces, cuts) => {
        const text = pieces.join('');
        expect(split(text, cuts)).toEqual(split(text));
      }),
    );
  });

  it('are those that were written, but for the lines with a quote that is not closed', () => {
    const letter = fc.constantFrom('a', 'ü', ' ', '7');
    // A cell that begins with a comma, a newline or a quote could continue an open one.
    const cell = fc
      .tuple(letter, fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', '7') }))
      .map(([first, rest]) => first + rest);
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const row = fc.array(cell, { minLength: 1, maxLength: 4 });
    const broken = fc
      .tuple(letter, fc.string({ unit: fc.constantFrom('a', ',', '7') }))
      .map(([first, rest]) => first + rest);
    const entry = fc.oneof(
      { weight: 4, arbitrary: row.map((cells) => ({ text: cells.map(quoted).join(','), cells })) },
      {
        weight: 1,
        arbitrary: broken.map((text) => ({ text: `x,"${text}`, cells: undefined })),
      },
    );
    fc.assert(
      fc.property(fc.array(entry), fc.constantFrom('\n', '\r\n'), (entries, end) => {
        const written = entries.map(({ text }) => text + end).join('');
        expect(cellsOf(written)).toEqual(entries.map(({ cells }) => cells));
      }),
    );
  });

  it('are those that were written', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ü', ',', '"', '\n', '\r', ' ', '7') });
    const table = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }));
    const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n'), (rows, end) => {
        const written = rows.map((row) => row.map(quoted).join(',') + end).join('');
        expect(cellsOf(written)).toEqual(rows);
      }),
    );
  });
});
