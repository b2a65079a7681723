import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLocalFile } from '../../src/sources/local-file.js';
import { readAll } from '../../src/sources/random-access.js';
import { folderWith } from '../helpers/folder.js';

const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, i) => i % 251));

function filed(): string {
  return join(folderWith({ data: bytes }), 'data');
}

it.each([
  [0, 600_000],
  [0, 1],
  [1_000, 1_000],
  [262_143, 262_145],
  [599_999, 700_000],
  [700_000, 800_000],
])('a file is read from %i to %i', async (start, end) => {
  const file = await openLocalFile(filed());
  expect(file.size).toBe(600_000);
  expect((await readAll(file, start, end)).equals(bytes.subarray(start, end))).toBe(true);
});

it.each<[string, (path: string) => void]>([
  ['grows', (path) => appendFileSync(path, 'x')],
  ['is written again', (path) => writeFileSync(path, Buffer.alloc(600_000))],
  [
    'is replaced',
    (path) => {
      writeFileSync(`${path}.new`, bytes);
      renameSync(`${path}.new`, path);
    },
  ],
])('a file that %s is not read on', async (_name, change) => {
  const path = filed();
  const file = await openLocalFile(path);
  const read = file.read(0, file.size)[Symbol.asyncIterator]();
  expect((await read.next()).done).toBe(false);
  change(path);
  const rest = async () => {
    while (!(await read.next()).done);
    await readAll(file, 0, 1);
  };
  await expect(rest()).rejects.toThrow('has changed while it was read');
});

it('a file that is gone is named as such', async () => {
  const path = filed();
  const file = await openLocalFile(path);
  rmSync(path);
  await expect(readAll(file, 0, 1)).rejects.toThrow('no such file; check the path');
  await expect(openLocalFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a file is not read after the signal', async () => {
  const file = await openLocalFile(filed());
  await expect(readAll(file, 0, 1, AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
    'stopped',
  );
});
