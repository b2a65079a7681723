import { describe, expect, it } from 'vitest';
import { fileStart } from '../../../src/sources/lines.js';
import { RangeCutter, type Range } from '../../../src/sources/range.js';
import type { Checkpoint } from '../../../src/ledger/progress.js';
import { RangeSource } from '../../../src/importer/workers/range-source.js';
import { emptyCheckpoint } from '../../helpers/checkpoint.js';

/** Ranges of a file with `events` events, each range as small as `rangeBytes` allows. */
function rangesOf(events: number, file = 0, rangeBytes = 1): Range[] {
  const cutter = new RangeCutter(file, fileStart, rangeBytes);
  const line = Buffer.from('{"type":"track","userId":"u","event":"E"}\n');
  return Array.from({ length: events }, () => cutter.push(line)).flat();
}

/** Reads like the pipeline, which is done with a batch when it requests the next one. */
async function readAll(source: RangeSource): Promise<[string, number][]> {
  const lines: [string, number][] = [];
  for await (const batch of source) {
    for (const { origin } of batch) lines.push([origin.file, origin.line]);
  }
  return lines;
}

describe('the ranges of a thread', () => {
  it('are read in order of arrival, until the end', async () => {
    let asked = 0;
    const source = new RangeSource(['a', 'b'], emptyCheckpoint, () => asked++);
    const lines = readAll(source);
    for (const range of [...rangesOf(2, 0), ...rangesOf(1, 1)]) {
      source.push(range);
      await Promise.resolve();
    }
    source.end();
    expect(await lines).toEqual([
      ['a', 1],
      ['a', 2],
      ['b', 1],
    ]);
    expect([source.done, asked]).toEqual([3, 3]);
  });

  it('are all read, also when the end is known before reading begins', async () => {
    const source = new RangeSource(['a'], emptyCheckpoint, () => undefined);
    for (const range of rangesOf(3)) source.push(range);
    source.end();
    expect(await readAll(source)).toHaveLength(3);
  });

  it('hold only lines that earlier runs have left', async () => {
    const last = new Map([[0, { line: 5, offset: 168, length: 41 }]]);
    const checkpoint: Checkpoint = { last, open: [[0, 2, 42, 1]] };
    const source = new RangeSource(['a'], checkpoint, () => undefined);
    for (const range of rangesOf(7, 0, 100)) source.push(range);
    source.end();
    expect((await readAll(source)).map(([, line]) => line)).toEqual([2, 6]);
  });

  it('are not done before the last event of each was read', async () => {
    const [range] = rangesOf(300, 0, 300 * 42);
    const source = new RangeSource(['a'], emptyCheckpoint, () => undefined);
    source.push(range!);
    const batches = source[Symbol.asyncIterator]();
    let events = 0;
    while (events < 300) {
      events += ((await batches.next()).value as unknown[]).length;
      expect(source.done).toBe(0);
    }
    await batches.return(undefined);
    expect(source.done).toBe(0);
  });
});
