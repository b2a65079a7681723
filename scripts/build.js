// Builds dist/: the library with its types, and the command line as a bundle.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { bundleProgram } from './bundle.js';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** Each makes its part in the new folder, side by side with the others. */
const steps = [buildLibrary, bundleProgram, buildPages];

const workshop = join(root, 'node_modules/.cache', `evfwd-build-${process.pid}`);
const fresh = join(workshop, 'fresh');
mkdirSync(fresh, { recursive: true });
try {
  const results = await Promise.allSettled(steps.map((step) => step(fresh)));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) fail(failed.reason);
  else putInPlace();
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

/** Only what `src/index.ts` reaches, file by file, so that programs load what they import. */
async function buildLibrary(folder) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder];
  await promisify(execFile)(process.execPath, args);
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

/** What runs meanwhile misses its files for no longer than two renames take. */
function putInPlace() {
  if (existsSync(dist)) renameSync(dist, join(workshop, 'stale'));
  renameSync(fresh, dist);
}

/** The compiler says what is wrong on its standard output. */
function fail({ stdout, stack }) {
  process.stderr.write(`${stdout || stack}\n`);
  process.exitCode = 1;
}
