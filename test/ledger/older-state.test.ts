import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { plainCheckpoint } from '../../src/ledger/progress.js';
import { ImportStore } from '../../src/ledger/store.js';
import { folderWith } from '../helpers/folder.js';

/**
 * The state of a killed import of two files with 10 and 30 events: one event failed, two wait for a retry
 * (line 8 of the first file, line 6 of the second); line 3 of the second and those from 16 on are open.
 */
const fixture = fileURLToPath(new URL('fixtures/import-version-1.db', import.meta.url));

describe('the state of version 1', () => {
  it('is migrated: lines, counts, retries', async () => {
    const path = join(folderWith(), 'state.db');
    copyFileSync(fixture, path);
    for (const time of ['first', 'second']) {
      const store = await ImportStore.open(path);
      expect(plainCheckpoint(store.checkpoint()), time).toEqual({
        last: new Map([
          [0, { line: 10, offset: 1_044, length: 115 }],
          [1, { line: 30, offset: 3_441, length: 118 }],
        ]),
        open: [
          [1, 3, 238, 1],
          [1, 16, 1_780, 15],
        ],
      });
      expect(store.counts()).toEqual({
        delivered: 21,
        rejected: 0,
        failed: 1,
        skipped: 0,
        disabled: 0,
      });
      expect(store.isFinished()).toBe(false);
      expect([0, 1].map((index) => store.file(index)?.size)).toEqual([1_160, 3_560]);
      const retries = store.earliestRetries(9).map(({ file, line, delayMs }) => {
        return [file, line, delayMs];
      });
      expect(retries).toEqual([
        [1, 6, 4_320_000],
        [0, 8, 4_320_000],
      ]);
      store.close();
    }
  });
});
