import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { completeNotices } from './notices.js';

const root = join(import.meta.dirname, '..');
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Each becomes `dist/cli/<name>.cjs`, which keeps its exports: the program, and what is started beside it. */
export const entries = {
  evfwd: 'src/cli.ts',
  'import-worker': 'src/importer/workers/import-worker.ts',
  // Started by the tests that end an import at a step of its commit.
  'import-run': 'src/commands/import/run.ts',
};

/**
 * What a command always needs together stands in one file: each file more is 0.3 ms more. All else
 * is split as the late imports say. The first group that fits takes a module.
 */
const groups = [
  {
    name: 'evfwd',
    test: /node_modules\/commander\/|src\/(?:cli|errors|version|output\/printable|commands\/(?:index|flags\/(?:flag|checks|output|signing)|shared\/(?:process-io|flags|collect|secret-flags))|config\/secret|sign\/unreadable)\.ts$/,
  },
  {
    name: 'signature',
    test: /node_modules\/damerau-levenshtein\/|src\/(?:sign\/(?!capture|check-capture|library|round-trip|request-signer)(?:schemes\/)?[\w-]+|output\/text|duration|nearest|http\/header-rules|commands\/(?:sign\/command|verify-sig\/(?:command|body)))\.ts$/,
  },
  {
    name: 'values',
    test: /node_modules\/(?:damerau-levenshtein|ms)\/|src\/(?:defaults|nearest|config\/duration|commands\/shared\/flag-values)\.ts$/,
  },
  { name: 'fastify', test: /node_modules\/(?:@fastify\/|fastify\/|pino\/)/ },
];

/** `src/version.ts` reads package.json, which need not be read where it is known. */
export const versionAsText = {
  name: 'version-as-text',
  load: {
    filter: { id: /\/src\/version\.ts$/ },
    handler: () => `export const version = ${JSON.stringify(manifest.version)};`,
  },
};

const nothing = '\0nothing';

/**
 * An empty module takes the place of `node:child_process` in commander, which needs it only for
 * subcommands that are separate programs: there are none here, and loading it takes 3 ms.
 */
const withoutSubprograms = {
  name: 'without-subprograms',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^node:child_process$/ },
    handler: (_id, importer = '') =>
      importer.includes('/node_modules/commander/') ? nothing : null,
  },
  load: { filter: { id: /^\0nothing$/ }, handler: () => 'export default {}' },
};

/** Optional peers, which users of `--store` install themselves. */
const external = Object.keys(manifest.peerDependencies);

/**
 * Bundles the command line into `cli/` of a folder. It is CommonJS, because that starts 4 ms sooner
 * than modules do. Lines and the names of functions stay, so that an error tells its place.
 */
export async function bundleProgram(folder) {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [versionAsText, withoutSubprograms],
    ssr: { noExternal: true, external, target: 'node' },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      target: false,
      license: { fileName: 'THIRD-PARTY-NOTICES.txt' },
      rolldownOptions: {
        input: entries,
        preserveEntrySignatures: 'allow-extension',
        checks: { ineffectiveDynamicImport: false },
        output: {
          format: 'cjs',
          entryFileNames: 'cli/[name].cjs',
          chunkFileNames: 'cli/[name].cjs',
          comments: { legal: true, annotation: false, jsdoc: false },
          codeSplitting: { groups },
          minifyInternalExports: false,
          // `const` stays, so that constants are inlined.
          topLevelVar: false,
          minify: {
            compress: true,
            mangle: { toplevel: false },
            codegen: { removeWhitespace: false },
          },
        },
      },
    },
  });
  completeNotices(join(folder, 'THIRD-PARTY-NOTICES.txt'));
  // Node need not look for it above, where it would read all of the package's own.
  writeFileSync(join(folder, 'cli/package.json'), '{ "type": "commonjs" }\n');
}
