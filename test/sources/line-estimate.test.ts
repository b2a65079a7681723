import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import { estimateLines } from '../../src/sources/line-estimate.js';
import { folderWith } from '../helpers/folder.js';

async function estimated(files: Record<string, string | Buffer>): Promise<number | undefined> {
  const folder = folderWith(files);
  return estimateLines(await findInputs(Object.keys(files).map((name) => join(folder, name))));
}

/** Lines of very different lengths, the longer ones at the end. */
function uneven(count: number): string {
  return Array.from({ length: count }, (_, n) => `{"n":"${'x'.repeat((n * 300) / count)}"}\n`).join(
    '',
  );
}

describe('the number of lines', () => {
  it.each<[string, Record<string, string | Buffer>, number]>([
    ['of nothing', { e: '' }, 0],
    ['without a last newline', { e: '{}\n{}' }, 2],
    ['without blank lines', { e: '\n{}\n\r\n\n{}\r\n' }, 2],
    ['of several files', { a: uneven(100), b: uneven(7) }, 107],
    ['of gzip files', { a: gzipSync(uneven(5_000)), b: uneven(3) }, 5_003],
  ])('is exact for small files: %s', async (_what, files, lines) => {
    expect(await estimated(files)).toBe(lines);
  });

  it.each<[string, (text: string) => string | Buffer]>([
    ['plain', (text) => text],
    // Stored, so that the file is large.
    ['gzip', (text) => gzipSync(text, { level: 0 })],
  ])('is nearly right for large files (%s)', async (_form, pack) => {
    const lines = Array.from(
      { length: 30_000 },
      (_, n) => `{"n":"${'x'.repeat((n * 37) % 400)}"}\n`,
    );
    const found = (await estimated({ a: pack(lines.join('')) }))!;
    expect(Math.abs(found / 30_000 - 1)).toBeLessThan(0.02);
  });

  it('is nearly right for a large file whose lines get longer', async () => {
    const found = (await estimated({ a: uneven(50_000), b: uneven(100) }))!;
    expect(Math.abs(found / 50_100 - 1)).toBeLessThan(0.05);
  });

  it('is nearly right for gzip that becomes hundreds of times as long, of which little is inflated', async () => {
    const text = '{"type":"track","event":"Order"}\n'.repeat(4_000_000);
    const packed = gzipSync(text);
    expect(packed.length).toBeLessThan(text.length / 200);
    const before = process.memoryUsage().arrayBuffers;
    const found = (await estimated({ a: packed }))!;
    expect(Math.abs(found / 4_000_000 - 1)).toBeLessThan(0.1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(text.length / 2);
  });

  it('is unknown for a pipe, and for a file that is gone', async () => {
    const stdin = { name: '-', size: undefined, isFile: false };
    expect(await estimateLines([stdin])).toBeUndefined();
    expect(await estimateLines([{ name: '/nowhere/e', size: 9, isFile: true }])).toBeUndefined();
  });
});
