import { statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOfRange } from '../../../src/importer/shared/range-lines.js';
import { folderWith } from '../../helpers/folder.js';

const { signal } = new AbortController();

function planned(content: string | Buffer, isWhole = false) {
  const path = join(folderWith({ f: content }), 'f');
  return { path, size: statSync(path).size, modifiedMs: 0, isWhole };
}

describe('the lines of a range', () => {
  it('are each in one range, however a file is cut', async () => {
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
            sum += await linesOfRange(file, { from, to: Math.min(from + step, file.size) }, signal);
          }
          expect(sum).toBe(all.filter((line) => line !== '' && line !== '\r').length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of a gzip file are those of its text', async () => {
    const file = planned(gzipSync('a\n\nb\nc'), true);
    expect(await linesOfRange(file, { from: 0, to: null }, signal)).toBe(3);
  });
});
