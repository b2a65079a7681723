import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as setImmediatePromise } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  isOverwriteDue,
  overwriteFreedPages,
} from '../../../../src/serve/store/sqlite/freed-pages.js';
import { stateOfService } from '../../../../src/serve/store/sqlite/schema.js';
import { SqliteStore } from '../../../../src/serve/store/sqlite/sqlite-store.js';
import { StateFile } from '../../../../src/storage/state-file.js';
import { folderWith } from '../../../helpers/folder.js';

it.each([1, 2, 3, 100, 700, 6_000])(
  'all bytes of %i freed pages are overwritten',
  async (pages) => {
    const path = join(folderWith(), 'serve.db');
    const file = await StateFile.open(path, stateOfService);
    file.exec('PRAGMA secure_delete = FAST');
    const text = 'secret--'.repeat((pages * 4_092 + 1_000) / 8);
    file.transaction(() => file.run('INSERT INTO scrub (bytes) VALUES (?)', text));
    file.makeRoom();
    expect(readFileSync(path).includes('secret')).toBe(true);
    expect(await overwriteFreedPages(file, () => true)).toBe(true);
    expect(readFileSync(path).includes('secret')).toBe(false);
    file.close();
  },
);

it('ends while others delete', async () => {
  const path = join(folderWith(), 'serve.db');
  const file = await StateFile.open(path, stateOfService);
  file.exec('CREATE TABLE other (id INTEGER PRIMARY KEY, bytes BLOB)');
  const insert = (): unknown => file.run('INSERT INTO other (bytes) VALUES (zeroblob(80000))');
  file.transaction(insert);
  let turns = 0;
  const replaceRow = (): void => {
    file.transaction(insert, 'later');
    file.transaction(() => file.run('DELETE FROM other WHERE id = (SELECT min(id) FROM other)'));
    if (++turns < 200) setImmediate(replaceRow);
  };
  replaceRow();
  expect(await overwriteFreedPages(file, () => true)).toBe(true);
  expect(turns).toBeLessThan(20);
  turns = 200;
  await setImmediatePromise();
  file.close();
});

it('frees pages again a few at once', async () => {
  const path = join(folderWith(), 'serve.db');
  const file = await StateFile.open(path, stateOfService);
  file.transaction(() => file.run('INSERT INTO scrub (bytes) VALUES (zeroblob(40000000))'));
  file.transaction(() => file.run('DELETE FROM scrub'));
  const rows = [0];
  let isDone = false;
  const count = (): void => {
    rows.push(Number(file.get('SELECT count(*) AS n FROM scrub')!.n));
    if (!isDone) setImmediate(count);
  };
  count();
  await overwriteFreedPages(file, () => true);
  isDone = true;
  await setImmediatePromise();
  file.close();
  expect(Math.max(...rows)).toBeGreaterThan(15);
  expect(Math.max(...rows.slice(1).map((n, i) => rows[i]! - n))).toBeLessThan(10);
});

it('frees at the start what an earlier process was overwriting when it ended', async () => {
  const folder = folderWith();
  const scrubbed = async (work: (file: StateFile) => void): Promise<void> => {
    const file = await StateFile.open(join(folder, 'serve.db'), stateOfService);
    work(file);
    file.close();
  };
  await scrubbed((file) =>
    file.transaction(() => file.run('INSERT INTO scrub (bytes) VALUES (zeroblob(90000))')),
  );
  (await SqliteStore.open(folder)).close();
  await scrubbed((file) =>
    expect(file.get('SELECT count(*) AS n FROM scrub')).toMatchObject({ n: 0 }),
  );
});

it.each([
  [65_000, true],
  [67_000, false],
])('is due again within a day for %i freed pages: %s', async (pages, isDue) => {
  const file = await StateFile.open(join(folderWith(), 'serve.db'), stateOfService);
  file.transaction(() => file.run('INSERT INTO scrub (bytes) VALUES (zeroblob(?))', pages * 4_092));
  file.transaction(() => file.run('DELETE FROM scrub'));
  const dayMs = 24 * 60 * 60 * 1000;
  expect([isOverwriteDue(file, dayMs - 1), isOverwriteDue(file, dayMs)]).toEqual([isDue, true]);
  file.close();
});
