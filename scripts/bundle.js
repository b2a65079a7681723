import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { commanderAsModules, runtimeInEachFile, versionAsText } from './bundle-plugins.js';
import { noticesOf } from './notices.js';

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Each becomes `dist/cli/<name>.cjs`, which keeps its exports: the program, and what is started beside it. */
export const entries = {
  evfwd: 'src/cli.ts',
  'import-worker': 'src/threads/import-worker.ts',
  // Started by the tests that end an import at a step of its commit.
  'import-run': 'src/commands/import-run.ts',
};

/** Dependencies of the library that the program brings along all the same, to start sooner. */
const bundledToo = ['damerau-levenshtein', 'debug', 'ms'];

const external = Object.keys(manifest.dependencies).filter((name) => !bundledToo.includes(name));

/**
 * What a command always needs together stands in one file: each file more is 0.3 ms more. All else
 * is split as the late imports say. The first group that fits takes a module.
 */
const groups = [
  {
    name: 'evfwd',
    test: /node_modules\/commander\/|src\/(?:cli|errors|version|output\/printable|commands\/(?:index|process-io|flags|secret-flags)|config\/secret|sign\/unreadable)\.ts$/,
  },
  {
    name: 'signature',
    test: /src\/(?:sign\/(?:x-signature|body|check-body|judge|given-signature)|output\/text|commands\/(?:sign|verify-sig|verify-sig-body))\.ts$/,
  },
  {
    name: 'values',
    test: /node_modules\/(?:damerau-levenshtein|ms)\/|src\/(?:defaults|nearest|config\/duration|commands\/flag-values)\.ts$/,
  },
];

/**
 * Bundles the command line into `cli/` of a folder. It is CommonJS, because that starts 4 ms sooner
 * than modules do. Lines and the names of functions stay, so that an error tells its place.
 */
export async function bundleProgram(folder) {
  const bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    preserveEntrySignatures: 'allow-extension',
    plugins: [versionAsText(manifest.version), commanderAsModules(), runtimeInEachFile()],
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir: join(folder, 'cli'),
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: { groups },
    minifyInternalExports: false,
    minify: { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: false } },
  });
  await bundle.close();
  // Node need not look for it above, where it would read all of the package's own.
  writeFileSync(join(folder, 'cli/package.json'), '{ "type": "commonjs" }\n');
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? []);
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(modules));
}
