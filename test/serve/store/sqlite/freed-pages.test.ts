import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { overwriteFreedPages } from '../../../../src/serve/store/sqlite/freed-pages.js';
import { stateOfService } from '../../../../src/serve/store/sqlite/schema.js';
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
