import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execFileSync } from './helpers/run-sync.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The sources again, with the packages of this project. */
const copy = mkdtempSync(join(tmpdir(), 'evfwd-build-'));

beforeAll(() => {
  for (const name of readdirSync(root)) {
    if (/^(?:src|pages|scripts)$|\.json$|^vite\.config\.ts$/.test(name)) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
  }
  const packages = readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.'));
  mkdirSync(join(copy, 'node_modules'));
  for (const name of packages) {
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('a build', () => {
  it('has pages for production, whatever the environment says', () => {
    build('development');
    expect(pagesIn(copy)).toEqual(pagesIn(root));
  });

  it('is made again where a file of it is gone', () => {
    rmSync(join(copy, 'dist/inspector/index.html'));
    build('production');
    expect(pagesIn(copy)).toEqual(pagesIn(root));
  });
});

function build(environment: string): void {
  const env = { ...process.env, NODE_ENV: environment };
  execFileSync(process.execPath, [join(copy, 'scripts/build.js')], { env, stdio: 'pipe' });
}

/** The files of the pages, by their paths in `dist/`. */
function pagesIn(project: string): Record<string, string> {
  const dist = join(project, 'dist');
  const paths = ['inspector', 'service-page'].flatMap((page) =>
    readdirSync(join(dist, page), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return Object.fromEntries(
    paths.map((path) => [relative(dist, path), readFileSync(path, 'latin1')]),
  );
}
