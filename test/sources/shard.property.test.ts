import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../../src/events/event.js';
import { userOf } from '../../src/events/select.js';
import { findInputs } from '../../src/sources/find-inputs.js';
import type { Input } from '../../src/sources/input.js';
import { fileStart, LineSplitter, type Line } from '../../src/sources/lines.js';
import { OwnLines } from '../../src/sources/own-lines.js';
import { readRange, readRanges } from '../../src/sources/ranges.js';
import { readBatches } from '../../src/sources/read.js';
import { ownBytes, sharesOf, type BlockShare, type Shard } from '../../src/sources/shard.js';
import { estimateShare } from '../../src/sources/share-estimate.js';
import { cutAt } from '../helpers/chunks.js';
import type { Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';
import { event, mixedLines } from '../helpers/process.js';
import { runs } from '../helpers/property-runs.js';

describe('the lines of all shards', () => {
  it('are all lines, each once, with their numbers, whatever the bytes, the chunks and the number', () => {
    fc.assert(
      fc.property(
        fileBytes,
        places,
        places,
        countAndBlock,
        (bytes, cuts, others, [count, block]) => {
          const found = range(count).flatMap((first) =>
            ownLinesOf(cutAt(bytes, first % 2 ? cuts : others), blocks(first, count, block)),
          );
          expect(sorted(found)).toEqual(linesOf(bytes));
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('stay where they are when the file grows', () => {
    fc.assert(
      fc.property(
        fileBytes,
        fileBytes,
        places,
        countAndBlock,
        (bytes, more, cuts, [count, block]) => {
          const before = Buffer.concat([bytes, Buffer.from('\n')]);
          const after = Buffer.concat([before, more]);
          for (const first of range(count)) {
            const share = blocks(first, count, block);
            const grown = ownLinesOf(cutAt(after, cuts), share);
            const was = ownLinesOf([before], share);
            expect(grown.filter(({ offset }) => offset < before.length)).toEqual(was);
          }
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('are found from any of its lines on, as a resumed run reads them', () => {
    fc.assert(
      fc.property(fileBytes, places, countAndBlock, fc.nat(), (bytes, cuts, [count, block], at) => {
        const share = blocks(at % count, count, block);
        const all = ownLinesOf([bytes], share);
        const start = all[at % Math.max(1, all.length)];
        if (!start) return;
        const { offset, line } = start;
        const rest = ownLinesOf(cutAt(bytes.subarray(offset), cuts), share, { offset, line });
        expect(rest).toEqual(all.filter((each) => each.offset >= offset));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('have all bytes of a file, and about the same number of a large one', () => {
    fc.assert(
      fc.property(
        fc.nat(300_000_000),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(5),
        (size, n, files) => {
          const names = range(files + 1).map((i) => plainInput(`/no/such/file-${i}`, size));
          const own = range(n).map((index) => ownBytes(blocksOf(names, { index, count: n }), size));
          expect(own.reduce((sum, bytes) => sum + bytes, 0)).toBe(size);
          expect(Math.max(...own) - Math.min(...own)).toBeLessThanOrEqual(256 * 1024);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

const large = mixedLines(6_000, `,"pad":"${'é'.repeat(60)}"`).join('\n');

describe('reading the shards of files', () => {
  const folderOfAll = () =>
    folderWith({
      'b.ndjson': `\ufeff${large}`,
      'a.ndjson': `${event(1)}\r\n\n${'x'.repeat(1_200_000)}\n${large}`,
      'c.ndjson.gz': gzipSync(large),
      'd.ndjson': event(5),
      'e.ndjson': '',
    });
  const names = ['b.ndjson', 'a.ndjson', 'c.ndjson.gz', 'd.ndjson', 'e.ndjson'];

  it.each([2, 3, 8])(
    'returns every item once, in batches and in ranges: %i shards',
    async (count) => {
      const inputs = await inputsOf(folderOfAll(), names);
      const expected = (await batched(inputs)).map(described).sort();
      const readers = { batched, ranged };
      for (const [name, read] of Object.entries(readers)) {
        const found: string[][] = [];
        for (const index of range(count)) {
          found.push((await read(inputs, { index, count })).map(described));
        }
        expect(found.flat().sort(), name).toEqual(expected);
        expect(
          found.filter((items) => items.length === 0),
          name,
        ).toEqual([]);
      }
    },
  );

  it('does not depend on the order in which the files are named', async () => {
    const folder = folderOfAll();
    const forward = await batched(await inputsOf(folder, names), { index: 1, count: 3 });
    const names2 = names.toReversed();
    const backward = await batched(await inputsOf(folder, names2), { index: 1, count: 3 });
    expect(backward.map(described).sort()).toEqual(forward.map(described).sort());
  });

  it('by user: every item once, each user in one shard, invalid lines too', async () => {
    const inputs = await inputsOf(folderOfAll(), names);
    const users = new Map<string, number>();
    const found: string[] = [];
    for (const index of range(3)) {
      const items = await batched(inputs, { index, count: 3 }, true);
      found.push(...items.map(described));
      for (const item of items) {
        if (isProblem(item)) continue;
        expect(users.get(userOf(item)) ?? index).toBe(index);
        users.set(userOf(item), index);
      }
    }
    expect(found.sort()).toEqual((await batched(inputs)).map(described).sort());
    expect(new Set(users.values()).size).toBe(3);
  });

  it('by user takes the id as all of evfwd does, however it is written', async () => {
    const lines = [
      '{"type":"track","event":"E","userId":17}',
      '{"type":"track","event":"E","userId":"17"}',
      '{"type":"track","event":"E","userId":"\\u0031\\u0037"}',
      '{"type":"track","event":"E","userId":"","anonymousId":"17"}',
      '{"type":"track","event":"E","userId":null,"anonymousId":17.0}',
    ];
    const inputs = await inputsOf(folderWith({ a: lines.join('\n') }), ['a']);
    const sizes = [];
    for (const index of range(5))
      sizes.push((await batched(inputs, { index, count: 5 }, true)).length);
    expect(sizes.sort()).toEqual([0, 0, 0, 0, 5]);
  });

  it('moves nothing when a file grows', async () => {
    const folder = folderOfAll();
    const before = await batched(await inputsOf(folder, names), { index: 1, count: 3 });
    appendFileSync(join(folder, 'a.ndjson'), `\n${large}`);
    const after = await batched(await inputsOf(folder, names), { index: 1, count: 3 });
    const kept = new Set(after.map(described));
    expect(before.filter((item) => !kept.has(described(item)))).toEqual([]);
    expect(after.length).toBeGreaterThan(before.length + 1_000);
  });

  it('refuses to divide ranges by user, since they are not parsed', async () => {
    const inputs = await inputsOf(folderOfAll(), names);
    const shares = sharesOf(inputs, { index: 0, count: 2 }, true);
    await expect(readRanges(inputs, { shares }).next()).rejects.toThrow('not parsed');
  });
});

describe('the estimated lines of a shard', () => {
  it('are near those that it has, and add up to all', async () => {
    const folder = folderWith({ a: large, b: event(1), c: gzipSync(large) });
    const inputs = await inputsOf(folder, ['a', 'b', 'c']);
    const estimates: number[] = [];
    for (const index of range(3)) {
      const shares = sharesOf(inputs, { index, count: 3 }, false);
      const estimate = (await estimateShare(inputs, shares))!;
      const items = await batched(inputs, { index, count: 3 });
      expect(Math.abs(estimate - items.length)).toBeLessThan(0.03 * items.length + 10);
      estimates.push(estimate);
    }
    const sum = estimates.reduce((total, each) => total + each, 0);
    expect(Math.abs(sum - 12_001)).toBeLessThan(5);
  });

  it('are none of a file that belongs to others', async () => {
    const inputs = await inputsOf(folderWith({ a: event(1) }), ['a']);
    expect(await estimateShare(inputs, sharesOf(inputs, { index: 1, count: 2 }, false))).toBe(0);
  });
});

const places = fc.array(fc.nat());
const countAndBlock = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 40 }));
const fileBytes = fc
  .array(
    fc.constantFrom('\n', '\n', '\r\n', 'a', 'bc', ' ', 'é', '\ufeff', 'longer than a block'),
    {
      maxLength: 60,
    },
  )
  .map((parts) => Buffer.from(parts.join('')));

type PlainLine = Pick<Line, 'line' | 'offset'> & { readonly text: string };

const plainLine = ({ line, offset, bytes }: Line): PlainLine => ({
  line,
  offset,
  text: bytes.toString(),
});

function linesOf(bytes: Buffer): PlainLine[] {
  const splitter = new LineSplitter();
  return [...splitter.push(bytes), ...splitter.end()].map(plainLine);
}

function ownLinesOf(chunks: readonly Buffer[], share: BlockShare, start = fileStart): PlainLine[] {
  const own = new OwnLines(share, start);
  const lines: Line[] = [];
  let splitter = new LineSplitter();
  for (const chunk of chunks) {
    for (const piece of own.push(chunk)) {
      if (piece.start) {
        expect(splitter.end()).toEqual([]);
        splitter = new LineSplitter(undefined, piece.start);
      }
      lines.push(...splitter.push(piece.bytes));
    }
  }
  return [...lines, ...splitter.end()].map(plainLine);
}

function blocks(first: number, count: number, blockBytes: number): BlockShare {
  return { kind: 'blocks', first, count, blockBytes };
}

function plainInput(name: string, size: number): Input {
  return { name, size, isFile: true, layout: 'plain' };
}

/** What a shard has of the last of these inputs. */
function blocksOf(inputs: readonly Input[], shard: Shard) {
  return sharesOf(inputs, shard, false).at(-1)!;
}

function sorted(lines: readonly PlainLine[]): PlainLine[] {
  return lines.toSorted((a, b) => a.line - b.line);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function inputsOf(folder: string, names: readonly string[]): Promise<Input[]> {
  return findInputs(names.map((name) => join(folder, name)));
}

const sharesFor = (inputs: readonly Input[], shard?: Shard, byUser = false) => ({
  ...(shard && { shares: sharesOf(inputs, shard, byUser) }),
});

async function batched(inputs: readonly Input[], shard?: Shard, byUser = false): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of readBatches(inputs, sharesFor(inputs, shard, byUser)))
    items.push(...batch);
  return items;
}

async function ranged(inputs: readonly Input[], shard?: Shard): Promise<Item[]> {
  const items: Item[] = [];
  for await (const each of readRanges(inputs, sharesFor(inputs, shard))) {
    for (const batch of readRange(each, inputs[each.file]!.name)) items.push(...batch);
  }
  return items;
}

function described({ origin: { file, line, offset, length }, bytes }: Item): string {
  return `${file}:${line}:${offset}:${length}:${bytes.subarray(0, 200).toString()}`;
}
