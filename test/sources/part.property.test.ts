import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Event, Problem } from '../../src/events/event.js';
import { findInputs } from '../../src/sources/find-inputs.js';
import { readPart, type Part } from '../../src/sources/part.js';
import type { Range } from '../../src/sources/range.js';
import { readRange } from '../../src/sources/ranges.js';
import { readBatches } from '../../src/sources/read.js';
import { folderWith } from '../helpers/folder.js';
import { runs } from '../helpers/property-runs.js';

type Item = Event | Problem;

const line = '{"type":"track","userId":"u","event":"E"}';
let path = '';
beforeEach(() => void (path = join(folderWith({}), 'events')));

async function wholeFile(): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of readBatches(await findInputs([path]))) items.push(...batch);
  return items;
}

async function partOf(part: Part): Promise<Range[]> {
  const [input] = await findInputs([path]);
  const ranges: Range[] = [];
  for await (const range of readPart(input!, part)) ranges.push(range);
  return ranges;
}

function itemsOf(ranges: readonly Range[]): Item[] {
  return ranges.flatMap((range) => [...readRange(range, path)].flat());
}

/** The parts between all cuts. */
function partsOf(size: number, cuts: readonly number[]): Part[] {
  const at = [0, ...cuts.map((cut) => cut % (size + 1)), size].sort((a, b) => a - b);
  return at.slice(1).map((to, i) => ({ from: at[i]!, to }));
}

/** Where an item is, and its text; lines are counted from the start of each part. */
function placeOf({ origin, bytes }: Item): object {
  return { offset: origin.offset, length: origin.length, text: bytes.toString('latin1') };
}

const fileBytes = fc
  .array(
    fc.oneof(
      fc
        .constantFrom('\n', '\n\n', '\r', '\r\n', ' ', '\ufeff', '{"a":1}', 'é', line)
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.concat(parts))
  // Other formats are refused, whole or in parts.
  .map((bytes) => Buffer.concat([Buffer.from(`${line}\n`), bytes]));

describe('the parts of a file', () => {
  it('hold each line of it once, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fileBytes, fc.array(fc.nat(), { maxLength: 6 }), async (bytes, cuts) => {
        writeFileSync(path, bytes);
        const items: Item[] = [];
        for (const part of partsOf(bytes.length, cuts)) items.push(...itemsOf(await partOf(part)));
        expect(items.map(placeOf)).toEqual((await wholeFile()).map(placeOf));
      }),
      { numRuns: runs(500, 100) },
    );
  });

  it('own the lines whose first byte is in them, counted from 1', async () => {
    writeFileSync(path, 'a\nb\n\nc\nd');
    const own = async (from: number, to: number | null): Promise<object[]> =>
      itemsOf(await partOf({ from, to })).map(({ origin: { line, offset } }) => ({ line, offset }));
    expect(await own(0, 1)).toEqual([{ line: 1, offset: 0 }]);
    expect(await own(1, 2)).toEqual([]);
    expect(await own(1, 3)).toEqual([{ line: 1, offset: 2 }]);
    expect(await own(2, 6)).toEqual([
      { line: 1, offset: 2 },
      { line: 3, offset: 5 },
    ]);
    expect(await own(6, null)).toEqual([{ line: 1, offset: 7 }]);
    expect(await own(8, null)).toEqual([]);
  });

  it.each(['\n', '\r\n', ''])(
    'may begin or end within a line that is too long, and ends in a later one: %j',
    async (end) => {
      const size = 3_000_000;
      writeFileSync(path, `${line}\n${'x'.repeat(size)}${end}${end && line}`);
      const whole = (await wholeFile()).map(placeOf);
      expect(whole).toHaveLength(end ? 3 : 2);
      const cuts = [20, 500_000, 1_000_000, 2_000_000, size];
      const parts = partsOf(size + 100, cuts);
      const items = (await Promise.all(parts.map(partOf))).map(itemsOf);
      expect(items.flat().map(placeOf)).toEqual(whole);
      // The long line begins in the second part, and the line after it in the last one.
      expect(items.map(({ length }) => length)).toEqual([1, 1, 0, 0, 0, end ? 1 : 0]);
    },
  );

  it('are read on from the start of a line that is left', async () => {
    const text = `${line}\n`;
    writeFileSync(path, text.repeat(10_000));
    const part = { from: 100 * text.length, to: 9_000 * text.length };
    const start = { line: 8_000, offset: 8_099 * text.length };
    const ranges = await partOf({ ...part, start });
    expect(ranges[0]!.start).toEqual(start);
    const items = itemsOf(ranges);
    expect(items).toHaveLength(901);
    expect(items.at(-1)!.origin).toMatchObject({ line: 8_900, offset: 8_999 * text.length });
  });

  it('are read until their end only', async () => {
    const text = `${line}\n`;
    writeFileSync(path, text.repeat(100_000));
    const [input] = await findInputs([path]);
    let raw = 0;
    const part = readPart(input!, { from: 0, to: 10 }, { onRaw: (bytes) => (raw += bytes) });
    expect((await part.next()).value).toMatchObject({ lines: 1, isLast: true });
    expect((await part.next()).done).toBe(true);
    expect(raw).toBe(256 * 1024);
  });

  it('have no range when they have no line, and none after they are aborted', async () => {
    writeFileSync(path, `${line}\n${line}`);
    expect(await partOf({ from: 3, to: 9 })).toEqual([]);
    const [input] = await findInputs([path]);
    const { signal } = { signal: AbortSignal.abort() };
    const part = readPart(input!, { from: 0, to: null }, { signal });
    expect((await part.next()).done).toBe(true);
  });
});

it('a gzip file is one part', async () => {
  writeFileSync(path, gzipSync(`${line}\n`.repeat(3)));
  expect(itemsOf(await partOf({ from: 0, to: null }))).toHaveLength(3);
  const start = { line: 2, offset: line.length + 1 };
  expect((await partOf({ from: 0, to: null, start }))[0]!.start).toEqual({ line: 1, offset: 0 });
});
