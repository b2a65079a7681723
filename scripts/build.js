// Builds dist/: the library with its types, the command line as a bundle, and the pages. Does nothing
// where dist/ was built from what the files are now, and is what was built.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'vite';
import { bundleProgram } from './bundle.js';
import { buildLibrary } from './library.js';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** All that the build reads; the lockfile stands for the packages. */
const inputs = [
  ...['src', 'pages', 'scripts', 'package.json', 'package-lock.json'],
  ...['tsconfig.json', 'tsconfig.build.json', 'vite.config.ts'],
];

/** Holds the hashes of the inputs and of what was built from them; it is not in the package. */
const stampName = '.inputs';

// Pages would be built for development where it is anything else, as in a run of the tests.
process.env.NODE_ENV = 'production';

/** Each makes its part in the new folder, side by side with the others. */
const steps = [buildLibrary, bundleProgram, buildPages, copySqlite];

const workFolder = join(root, 'node_modules/.cache', `evfwd-build-${process.pid}`);
const fresh = join(workFolder, 'fresh');

const hash = hashOf(root, inputs);
if (stampIn(dist) !== stampOf(dist)) await buildAll();

async function buildAll() {
  mkdirSync(fresh, { recursive: true });
  try {
    const results = await Promise.allSettled(steps.map((step) => step(fresh)));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed) return fail(failed.reason);
    writeFileSync(join(fresh, stampName), stampOf(fresh));
    putInPlace();
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
}

function stampIn(folder) {
  const stamp = join(folder, stampName);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

function stampOf(folder) {
  return `${hash} ${hashOf(folder, ['.'])}`;
}

function hashOf(folder, names) {
  const sum = createHash('sha256');
  for (const path of names.flatMap((name) => filesOf(join(folder, name))))
    sum.update(`${relative(folder, path)}\0`).update(readFileSync(path));
  return sum.digest('hex');
}

/** A file itself, or all files of a folder but the stamp, in the same order on each machine. */
function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== stampName);
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** The pages of `listen` and `serve`, one after the other, as `vite.config.ts` says. */
async function buildPages(folder) {
  for (const [mode, name] of [
    ['listen', 'inspector'],
    ['serve', 'service-page'],
  ]) {
    await build({
      configFile: join(root, 'vite.config.ts'),
      mode,
      logLevel: 'warn',
      build: { outDir: join(folder, name) },
    });
  }
}

/**
 * The native builds of SQLite for Node before 24, unchanged, where the bundled code looks for them. As a
 * dependency, the package would bring 11 MB of C and an install script to each user.
 */
function copySqlite(folder) {
  const source = join(root, 'node_modules/@photostructure/sqlite/prebuilds');
  cpSync(source, join(folder, 'prebuilds'), { recursive: true });
}

/** What runs meanwhile misses its files for no longer than two renames take. */
function putInPlace() {
  if (existsSync(dist)) renameSync(dist, join(workFolder, 'stale'));
  renameSync(fresh, dist);
}

/** The compiler says what is wrong on its standard output. */
function fail({ stdout, stack }) {
  process.stderr.write(`${stdout || stack}\n`);
  process.exitCode = 1;
}
