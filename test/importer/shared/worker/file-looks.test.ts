import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileLooks } from '../../../../src/importer/shared/worker/file-looks.js';
import { folderWith } from '../../../helpers/folder.js';
import { noRemote } from '../../../helpers/item-context.js';
import { planOf } from '../../../helpers/planned-run.js';

it('looks at the files of a run beside everything else, and anew only after some time', async () => {
  const folder = folderWith({ 'a.ndjson': '', 'b.ndjson': '' });
  const paths = ['a.ndjson', 'b.ndjson'].map((name) => join(folder, name));
  const run = { id: 'run', plan: planOf(paths, 'http://h/') };
  const here = { roots: [], openRemote: noRemote };
  let now = 0;
  let looked: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (looked = resolve));
  const looks = new FileLooks({
    ...{ now: () => now, againAfterMs: 5_000 },
    onLooked: () => looked(),
  });
  expect(looks.of(run, here)).toBeUndefined();
  expect(looks.of(run, here)).toBeUndefined();
  await first;
  expect(looks.of(run, here)).toEqual({ missing: undefined });
  rmSync(paths[1]!);
  now = 4_999;
  expect(looks.of(run, here)).toEqual({ missing: undefined });
  now = 5_000;
  // The old result counts until the new one is there.
  await expect
    .poll(() => looks.of(run, here))
    .toEqual({ missing: { path: paths[1], reason: 'no such file; check the path', count: 1 } });
  looks.keep([]);
  expect(looks.of(run, here)).toBeUndefined();
});
