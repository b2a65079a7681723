import { statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOfPart } from '../../../src/importer/shared/range-lines.js';
import { fileOf } from '../../sources/formats/parquet-files.js';
import { folderWith } from '../../helpers/folder.js';

const { signal } = new AbortController();

function planned(content: string | Buffer, isWhole = false) {
  const path = join(folderWith({ f: content }), 'f');
  return { path, size: statSync(path).size, modifiedMs: 0, isWhole };
}

function found({ path, size }: ReturnType<typeof planned>) {
  return { name: path, size, isFile: true };
}

describe('the lines of a part', () => {
  it('are each in one part, however a file is cut', async () => {
    const lines = fc.array(fc.constantFrom('', 'a', 'bcd', 'efghij', '\r'), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (all, step, isCut) => {
          const file = planned(all.join('\n') + (isCut ? '' : '\n'));
          let sum = 0;
          for (let from = 0; from < file.size; from += step) {
            const part = { from, to: Math.min(from + step, file.size) };
            sum += await linesOfPart(file, part, found(file), signal);
          }
          expect(sum).toBe(all.filter((line) => line !== '' && line !== '\r').length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of a gzip file are those of its text', async () => {
    const file = planned(gzipSync('a\n\nb\nc'), true);
    expect(await linesOfPart(file, { from: 0, to: null }, found(file), signal)).toBe(3);
  });

  it('of Parquet are its rows', async () => {
    const bytes = fileOf([{ name: 'n', data: [1, 2, 3, 4, 5] }], { rowGroupSize: 2 });
    const file = { ...planned(bytes), layout: 'rows' as const, rowGroups: [2, 2, 1] };
    expect(await linesOfPart(file, { from: 4, to: 5 }, found(file), signal)).toBe(1);
    expect(await linesOfPart(file, { from: 0, to: 2 }, found(file), signal)).toBe(2);
  });

  it('of a server that sends no parts any more are not those of the whole', async () => {
    const file = planned('a\nb\n');
    const read = () => nothing();
    const object = { id: 'http://h/', url: 'http://h/', version: '1', read };
    const whole = { name: 'http://h/', size: 4, isFile: true, object };
    await expect(linesOfPart(file, { from: 2, to: 4 }, whole, signal)).rejects.toThrow(
      'its server no longer supports range requests',
    );
  });
});

async function* nothing(): AsyncGenerator<Buffer> {
  // It is not read.
}
