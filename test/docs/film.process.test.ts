import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('the film of the README shows what the program prints: `node scripts/film.js` makes it anew', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/film.js'], {
    cwd: root,
  });
  expect(stdout).toBe(readFileSync(`${root}docs/images/film.svg`, 'utf8'));
});
