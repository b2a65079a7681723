import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLines } from '../../../src/sources/formats/csv.js';
import { CsvReader } from '../../../src/sources/formats/csv-records.js';
import { chunksOf, cutAt } from '../../helpers/chunks.js';
import { runs } from '../../helpers/property-runs.js';

async function decode(chunks: readonly Buffer[]): Promise<string> {
  const decoded: Buffer[] = [];
  for await (const chunk of csvLines(chunksOf(chunks), { separator: ',', name: 'file' }))
    decoded.push(chunk);
  return Buffer.concat(decoded).toString('latin1');
}

const piece = fc.constantFrom('a', ',', '"', '"",', ',"', '\n', '\r\n', 'é', ' ', '\ufeff', '{}');
const anyText = fc.array(piece, { maxLength: 60 }).map((pieces) => `a,b,c:=\n${pieces.join('')}`);

describe('a CSV file as NDJSON', () => {
  it('is the same wherever chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.array(fc.nat()), async (text, places) => {
        const bytes = Buffer.from(text);
        expect(await decode(cutAt(bytes, places))).toBe(await decode([bytes]));
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('is the same one byte at a time', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const bytes = Buffer.from(text);
        const single = [...bytes].map((byte) => Buffer.from([byte]));
        expect(await decode(single)).toBe(await decode([bytes]));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('has as many newlines as the file', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const newlines = (value: string): number => value.split('\n').length;
        expect(newlines(await decode([Buffer.from(text)]))).toBe(newlines(text));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('has the cells that csv-parse reads', async () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'ü', '7', ' ', '\t', '\\', '{') });
    const open = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', '\u0000') });
    const cell = fc.oneof(
      plain.filter((text) => text.trim() !== ''),
      open.map((text) => `"${text.replaceAll('"', '""')}"`),
    );
    const table = fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom('\n', '\r\n'), async (rows, end) => {
        const text = [['x', 'y.z', 'w'], ...rows].map((row) => row.join(',') + end).join('');
        const records = parse(text, { from_line: 2, relax_column_count: true });
        const lines = Buffer.from(await decode([Buffer.from(text)]), 'latin1').toString();
        const objects = lines
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as { x?: string; y?: { z?: string }; w?: string });
        expect(objects.map(({ x, y, w }) => [x, y?.z, w])).toEqual(records);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

/** The places of all records, by a pattern that is tried at each; undefined for one without cells. */
function model(text: string, limit: number): (string | undefined)[] {
  const cell = '(?:"(?:[^"]|"")*"(?=,|\\r?\\n|\\r?$)|(?!")[^,\\n]*)';
  const pattern = new RegExp(`${cell}(?:,${cell})*(?:\\r?\\n|\\r?$)`, 'y');
  const records: (string | undefined)[] = [];
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    const isRead = found !== undefined && found.length <= limit;
    const newline = text.indexOf('\n', at);
    const line = newline === -1 ? text.length : newline + 1;
    if (!isRead) records.push(undefined);
    else if (!/^[ \t]*\r?\n?$/.test(found)) records.push(found.replace(/\r?\n$|\r$/, ''));
    at = isRead ? at + found.length : line;
  }
  return records;
}

describe('the records of CSV', () => {
  it('are those of a pattern that is tried at each line', () => {
    const unit = fc.constantFrom('a', ',', '"', '"', '""', ',"', '",', '\n', '\n', '\r\n', ' ');
    const text = fc.array(unit, { maxLength: 80 }).map((units) => units.join(''));
    fc.assert(
      fc.property(text, fc.nat({ max: 40 }), fc.array(fc.nat()), (given, limit, places) => {
        const reader = new CsvReader({ maxRecordBytes: limit });
        const found: (string | undefined)[] = [];
        const read = () => {
          for (let next = reader.next(); next; next = reader.next())
            found.push(next.fault ? undefined : next.bytes.toString());
        };
        for (const chunk of cutAt(Buffer.from(given), places)) {
          reader.push(chunk);
          read();
        }
        reader.end();
        read();
        expect(found).toEqual(model(given, limit));
      }),
      { numRuns: runs(20_000, 2_000) },
    );
  });

  it('are found in one pass where each line opens a quote that is closed too late', () => {
    const reader = new CsvReader({ maxRecordBytes: 1024 * 1024 });
    // Within quotes, the line is two cells of which the second opens a quote: so it is before them.
    const line = 'a",",\n';
    const text = Buffer.from(line.repeat(500_000));
    reader.push(text);
    reader.end();
    let lost = 0;
    for (let next = reader.next(); next; next = reader.next()) if (next.fault) lost++;
    expect(lost).toBe(500_000);
  });
});
