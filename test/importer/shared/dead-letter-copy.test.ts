import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeadLetterCopy } from '../../../src/importer/shared/dead-letter-copy.js';
import { folderWith } from '../../helpers/folder.js';

const letters = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `{"type":"dead-letter","offset":${i * 10}}\n`);

/** Copies these dead letters to a file as a new process would. */
async function copy(path: string, list: readonly string[]): Promise<void> {
  const all = list.map((line) => Buffer.from(line));
  const one = new DeadLetterCopy(path, (start, limit) =>
    Promise.resolve(all.slice(start, start + limit)),
  );
  await one.copy();
  one.close();
}

const text = (path: string): string => readFileSync(path, 'utf8');

describe('the copy of the dead letters of a run', () => {
  it('writes those that are new, page by page', async () => {
    const path = join(folderWith(), 'd.ndjson');
    await copy(path, letters(250));
    await copy(path, letters(251));
    expect(text(path)).toBe(letters(251).join(''));
  });

  it('creates no file without dead letters', async () => {
    const path = join(folderWith(), 'd.ndjson');
    await copy(path, []);
    expect(existsSync(path)).toBe(false);
  });

  it('leaves other lines alone, before, in between and after', async () => {
    const path = join(folderWith(), 'd.ndjson');
    writeFileSync(path, 'other\n');
    await copy(path, letters(2));
    writeFileSync(path, 'more\n', { flag: 'a' });
    await copy(path, letters(4));
    const [a, b, c, d] = letters(4);
    expect(text(path)).toBe(`other\n${a}${b}more\n${c}${d}`);
  });

  it('writes to a file that does not end with a newline', async () => {
    const path = join(folderWith(), 'd.ndjson');
    writeFileSync(path, 'other');
    await copy(path, letters(1));
    expect(text(path)).toBe(`other\n${letters(1)[0]}`);
  });

  it('goes on where it was cut off, wherever that was', async () => {
    const whole = `other\n${letters(120).join('')}`;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 6, max: whole.length }), async (length) => {
        const path = join(folderWith(), 'd.ndjson');
        writeFileSync(path, whole.slice(0, length));
        await copy(path, letters(120));
        expect(text(path)).toBe(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('takes a line without a newline as a whole one', async () => {
    const path = join(folderWith(), 'd.ndjson');
    await copy(path, ['a', 'b']);
    await copy(path, ['a', 'b', 'c']);
    expect(text(path)).toBe('a\nb\nc\n');
  });

  it('misses nothing when the server has lost the last ones, and they come in another order', async () => {
    const path = join(folderWith(), 'd.ndjson');
    const [a, b, c, d, e] = letters(5) as [string, string, string, string, string];
    let list = [a, b, c, d];
    const one = new DeadLetterCopy(path, (start, limit) =>
      Promise.resolve(list.slice(start, start + limit).map((line) => Buffer.from(line))),
    );
    const lists = [list, [a, b], [a, b, e, d], [a, b, e, d, c]];
    for (list of lists) await one.copy();
    one.close();
    expect(text(path)).toBe([a, b, c, d, e, d, c].join(''));
  });
});
