import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import { fileStart, LineSplitter, type Line } from '../../src/sources/lines.js';
import { RangeCutter, type Range } from '../../src/sources/range.js';
import { readRange, readRanges, type RangeOptions } from '../../src/sources/ranges.js';
import { BrokenInputError } from '../../src/sources/broken-input.js';
import { readBatches } from '../../src/sources/read.js';
import { cutAt } from '../helpers/chunks.js';
import { trackWith, type Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';
import { runs } from '../helpers/property-runs.js';

const line = trackWith('"é"');
const manyLines = `${line}\n`.repeat(4_000);

describe('ranges joined', () => {
  it('equal the batches, whatever the bytes, the chunks and the size of a range', () => {
    fc.assert(
      fc.property(fileBytes, fc.array(fc.nat()), fc.nat(60), (bytes, places, enough) => {
        const ranges = cut(cutAt(bytes, places), enough);
        const expected = linesOf(bytes);
        const found = itemsOf(ranges);
        expect(found.map(({ origin }) => origin)).toEqual(
          expected.map(({ bytes: { length }, line, offset }) => ({
            file: 'f',
            line,
            offset,
            length,
          })),
        );
        expect(Buffer.concat(ranges.map(({ bytes }) => bytes))).toEqual(bytes);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['plain', manyLines],
    ['plain, with odd ends', `\ufeff${manyLines}\r\n\n  \n${line}\r`],
    ['gzip', gzipSync(manyLines)],
    ['with one long line', `${line}\n${'x'.repeat(300_000)}\n${manyLines}`],
    ['empty', ''],
    ['a byte order mark alone', '\ufeff'],
  ])('have the items of the batches, from files and pipes: %s', async (_, content) => {
    const [file] = await findInputs([join(folderWith({ a: content }), 'a')]);
    for (const input of [file!, { name: '-', size: undefined, isFile: false }]) {
      const open = () => ({ stdin: Readable.from([Buffer.from(content)]) });
      const expected: Item[] = [];
      for await (const batch of readBatches([input], open())) expected.push(...batch);
      const ranges = await gather([input], open());
      expect(itemsOf(ranges, input.name).map(withText)).toEqual(expected.map(withText));
      expect(ranges.map(({ isLast }) => isLast).lastIndexOf(false)).toBe(ranges.length - 2);
    }
  });
});

describe('a range', () => {
  it('has its position, its number of lines and the position of the last one', () => {
    fc.assert(
      fc.property(fileBytes, fc.array(fc.nat()), fc.nat(60), (bytes, places, enough) => {
        let next = fileStart;
        for (const range of cut(cutAt(bytes, places), enough)) {
          const lines = numbered(range.bytes, next);
          expect(range).toMatchObject({ file: 7, start: next, lines: lines.length });
          expect(range.last).toEqual(lines.at(-1));
          next = {
            offset: next.offset + range.bytes.length,
            line: next.line + range.lines,
          };
        }
        expect(next.offset).toBe(bytes.length);
      }),
      { numRuns: runs(500) },
    );
  });

  it('has memory of its own, which can be transferred to another thread', async () => {
    const inputs = await findInputs([join(folderWith({ a: manyLines }), 'a')]);
    let count = 0;
    for await (const range of readRanges(inputs)) {
      expect(range.bytes.byteLength).toBe(range.bytes.buffer.byteLength);
      const { bytes, start } = structuredClone(
        { bytes: range.bytes, start: range.start },
        { transfer: [range.bytes.buffer] },
      );
      expect(range.bytes).toHaveLength(0);
      for (const batch of readRange({ bytes, start }, 'f')) count += batch.length;
    }
    expect(count).toBe(4_000);
  });

  it('is about 256 KB of a file, and read some hundred lines at a time', async () => {
    const ranges = await gather(await findInputs([join(folderWith({ a: manyLines }), 'a')]));
    for (const { bytes, isLast } of ranges) {
      expect(bytes.length).toBeLessThan(400_000);
      if (!isLast) expect(bytes.length).toBeGreaterThanOrEqual(256 * 1024);
    }
    const batches = [...readRange(ranges[0]!, 'f')];
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThan(1_000);
  });

  it('leaves out the lines that `takes` excludes', () => {
    const [range] = cut([Buffer.from(`${line}\n${line}\nno\n${line}`)], 1000);
    const items = [...readRange(range!, 'f', (number, length) => number === 2 || length === 2)];
    expect(items.flat().map(({ origin }) => origin.line)).toEqual([2, 3]);
  });

  it('is returned as soon as a pipe has a whole line', async () => {
    const stdin = new PassThrough();
    const ranges = readRanges([{ name: '-', size: undefined, isFile: false }], { stdin });
    stdin.write(`${line}\n${line.slice(0, 9)}`);
    expect((await ranges.next()).value).toMatchObject({ lines: 1, isLast: false });
    stdin.end(line.slice(9));
    expect((await ranges.next()).value).toMatchObject({
      start: { line: 2 },
      lines: 1,
      isLast: true,
    });
    expect(await ranges.next()).toMatchObject({ done: true });
  });
});

describe('a line that is too long', () => {
  it('is a range of its own, with its whole length', () => {
    fc.assert(
      fc.property(
        fileBytes,
        fc.array(fc.nat()),
        fc.nat(60),
        fc.nat(12),
        (bytes, places, enough, limit) => {
          const ranges = cut(cutAt(bytes, places), enough, limit);
          const expected = linesOf(bytes, limit);
          const origins = itemsOf(ranges).map(({ origin }) => origin);
          expect(origins).toEqual(
            expected.map(({ bytes: { length }, line, offset, cutFrom }) => ({
              file: 'f',
              line,
              offset,
              length: cutFrom ?? length,
            })),
          );
          for (const range of ranges) {
            if (range.cutFrom === undefined) continue;
            expect(range).toMatchObject({
              lines: 1,
              last: { ...range.start, length: range.cutFrom },
            });
            const line = expected.find((one) => one.line === range.start.line)!;
            expect(range.bytes.equals(line.bytes)).toBe(true);
            expect(range.bytes.buffer.byteLength).toBe(range.bytes.length);
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe('lines that are too long', () => {
  const long = Buffer.alloc(1_100_000, 'é');
  const ends = { LF: '\n', CRLF: '\r\n' };
  it.each(Object.entries(ends))('are the same in ranges and in batches: %s', async (_, end) => {
    const [a, b] = [Buffer.from(`${line}${end}`), Buffer.from(end)];
    const whole = Buffer.concat([Buffer.from('\ufeff'), long, b, a, long, b, long, b, a, a, long]);
    const [file] = await findInputs([join(folderWith({ a: gzipSync(whole) }), 'a')]);
    const expected: Item[] = [];
    for await (const batch of readBatches([file!])) expected.push(...batch);
    const short = Buffer.byteLength(line);
    const lengths = [long.length, short, long.length, long.length, short, short, long.length];
    expect(expected.map(({ origin }) => origin.length)).toEqual(lengths);
    const ranges = await gather([file!]);
    expect(itemsOf(ranges, file!.name).map(withText)).toEqual(expected.map(withText));
    expect(ranges.map(({ bytes }) => bytes.length < 10_000)).not.toContain(false);
  });

  it.each([1, 2, 3])('are found when a run resumes: line %i was the last one', async (stopped) => {
    const text = Buffer.concat([Buffer.from(`${line}\n`), long, Buffer.from(`\r\n${line}\n`)]);
    const inputs = await findInputs([join(folderWith({ a: text }), 'a')]);
    const last = (await gather(inputs)).flatMap((range) => [...readRange(range, 'f')].flat())[
      stopped - 1
    ]!.origin;
    const rest = { start: last, takes: (number: number) => number > stopped };
    const items: Item[] = [];
    for await (const batch of readBatches(inputs, { rest: () => rest })) items.push(...batch);
    expect(items.map(({ origin }) => origin.line)).toEqual([2, 3].filter((at) => at > stopped));
    const ranges = await gather(inputs, { rest: () => rest });
    expect(ranges[0]).toMatchObject({ start: { line: last.line, offset: last.offset } });
    const again = ranges.flatMap((range) => [...readRange(range, inputs[0]!.name)].flat());
    expect(again[0]!.origin).toEqual({ ...last, file: inputs[0]!.name });
  });
});

describe('reading ranges', () => {
  it('resumes where an earlier run stopped; gzip from its beginning', async () => {
    const start = { offset: line.length + 2, line: 2 };
    const text = `${line}\n`.repeat(3);
    const folder = folderWith({ plain: text, gzip: gzipSync(text) });
    const inputs = await findInputs([join(folder, 'plain'), join(folder, 'gzip')]);
    const ranges = await gather(inputs, { rest: () => ({ start }) });
    expect(ranges).toMatchObject([
      { file: 0, start, lines: 2 },
      { file: 1, start: fileStart, lines: 3 },
    ]);
  });

  it('returns the whole lines of a truncated input, then the error', async () => {
    const folder = folderWith({
      a: gzipSync(`${line}\n${line}\n${line}`, { level: 0 }).subarray(0, -20),
      b: line,
    });
    const inputs = await findInputs([join(folder, 'a'), join(folder, 'b')]);
    const broken: BrokenInputError[] = [];
    const ranges = await gather(inputs, { onBroken: (error) => broken.push(error) });
    expect(ranges).toMatchObject([
      { file: 0, lines: 2, isLast: false },
      { file: 1, lines: 1, isLast: true },
    ]);
    expect(broken).toMatchObject([{ file: inputs[0]!.name, lines: 2 }]);
    await expect(gather(inputs)).rejects.toThrow(BrokenInputError);
  });

  it('stops at its signal, and closes the input when its reader stops', async () => {
    const input = { name: '-', size: undefined, isFile: false };
    for (const leave of ['abort', 'break']) {
      const stdin = new PassThrough();
      stdin.write(`${line}\n`);
      const controller = new AbortController();
      for await (const range of readRanges([input], { stdin, signal: controller.signal })) {
        expect(range.lines).toBe(1);
        if (leave === 'break') break;
        controller.abort();
      }
      expect(stdin.destroyed).toBe(true);
    }
  });

  it('counts the bytes on disk, before they are inflated', async () => {
    const path = join(folderWith({}), 'a');
    const bytes = gzipSync(manyLines);
    writeFileSync(path, bytes);
    let raw = 0;
    await gather(await findInputs([path]), { onRaw: (count) => (raw += count) });
    expect(raw).toBe(bytes.length);
  });
});

const fileBytes = fc
  .array(
    fc.oneof(
      fc
        .constantFrom('\n', '\r', '\r\n', ' ', '\ufeff', '\u2028', '{"a":1}', 'é', line)
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.concat(parts));

function linesOf(bytes: Buffer, limit?: number): Line[] {
  const splitter = new LineSplitter(limit);
  return [...splitter.push(bytes), ...splitter.end()];
}

function cut(chunks: readonly Buffer[], enough: number, maxBytes?: number): Range[] {
  const cutter = new RangeCutter(7, fileStart, enough, maxBytes);
  return [...chunks.flatMap((chunk) => cutter.push(chunk)), ...cutter.end()];
}

async function gather(
  inputs: Awaited<ReturnType<typeof findInputs>>,
  options: RangeOptions = {},
): Promise<Range[]> {
  const ranges: Range[] = [];
  for await (const range of readRanges(inputs, options)) ranges.push(range);
  return ranges;
}

function itemsOf(ranges: readonly Range[], file = 'f'): Item[] {
  return ranges.flatMap((range) => [...readRange(range, file)].flat());
}

/** Long texts are compared much faster than long buffers. */
function withText(item: Item): object {
  return { ...item, bytes: item.bytes.toString('latin1') };
}

/** All lines, including blank ones, from a string in which each character is a byte. */
function numbered(bytes: Buffer, start: { line: number; offset: number }) {
  const texts = bytes.toString('latin1').split('\n');
  if (texts.at(-1) === '') texts.pop();
  let { line, offset } = start;
  return texts.map((text) => {
    const mark = offset === 0 ? /^\u00ef\u00bb\u00bf/ : /^(?!)/;
    const place = { line, offset, length: text.replace(mark, '').replace(/\r$/, '').length };
    line++;
    offset += text.length + 1;
    return place;
  });
}
