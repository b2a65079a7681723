import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { manifest, versionAsText } from './bundle.js';

const root = join(import.meta.dirname, '..');

/** What `exports` of package.json names: each has code and types as a module and as CommonJS. */
const entries = { index: 'src/index.ts', 'sign/index': 'src/sign/index.ts' };

/**
 * Builds the library into a folder: bundled, since loading two hundred small files takes five times as long, as modules
 * and, in `cjs/`, as CommonJS: `require` does not load modules before Node 20.19 and in some test runners.
 */
export async function buildLibrary(folder) {
  await emitTypes(folder);
  const types = reachable(folder, '.d.ts');
  removeOthers(folder, '.d.ts', types);
  const cjs = join(folder, 'cjs');
  await Promise.all([bundle(join(folder, 'esm'), 'es'), bundle(cjs, 'cjs')]);
  for (const path of types) copyInto(cjs, folder, path);
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
}

async function emitTypes(folder) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder];
  await promisify(execFile)(process.execPath, [...args, '--emitDeclarationOnly']);
}

/** The files of a kind that the entries import, directly or not. */
function reachable(folder, ending) {
  const found = new Set();
  const open = Object.keys(entries).map((name) => join(folder, name + ending));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const imported = readFileSync(path, 'utf8').matchAll(
      /(?:from |import ?\(?)["'](\.[^"']+)\.js["']/g,
    );
    for (const [, name] of imported) open.push(join(dirname(path), name + ending));
  }
  return [...found];
}

/** Those of internal modules: nobody can import them. */
function removeOthers(folder, ending, kept) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (path.endsWith(ending) && !kept.includes(path)) rmSync(path);
  }
}

/** Types in a CommonJS package say that the code is CommonJS. */
function copyInto(target, folder, path) {
  const copy = join(target, relative(folder, path));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(path, copy);
}

async function bundle(outDir, format) {
  const packages = Object.keys(manifest.dependencies);
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [versionAsText],
    ssr: { noExternal: true, external: packages, target: 'node' },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      target: false,
      minify: false,
      rolldownOptions: {
        input: entries,
        // What late imports share with an entry is no export of it.
        preserveEntrySignatures: 'strict',
        output: { format, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}
