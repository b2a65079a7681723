import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileProblem, unchangedPath } from '../../../../src/importer/shared/worker/planned-file.js';
import { folderWith } from '../../../helpers/folder.js';
import { planOf } from '../../../helpers/planned-run.js';

it('finds the planned file below the folder that --root names', () => {
  const folder = folderWith({ 'a.ndjson': '{}\n' });
  const [file] = planOf([join(folder, 'a.ndjson')], 'http://h/').files;
  const elsewhere = { ...file!, path: '/elsewhere/a.ndjson' };
  expect(unchangedPath(file!, [])).toBe(file!.path);
  expect(unchangedPath(elsewhere, [{ from: '/elsewhere', to: folder }])).toBe(file!.path);
});

it('takes a file of equal size and another time for another file', () => {
  const path = join(folderWith({ 'a.ndjson': '{"n":1}\n' }), 'a.ndjson');
  const [file] = planOf([path], 'http://h/').files;
  writeFileSync(path, '{"n":2}\n');
  utimesSync(path, 1, 2);
  expect(statSync(path).size).toBe(file!.size);
  expect(() => unchangedPath(file!, [])).toThrow(FileProblem);
  expect(() => unchangedPath(file!, [])).toThrow(
    /^was modified 1970-01-01T00:00:02\.000Z, not .*: it is not the file that was planned/,
  );
});
