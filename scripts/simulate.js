// Runs the simulation of test/simulation: `npm run simulate -- --seeds 100 --days 30`. With
// `--mutant <name>`, the code has one of the defects of test/simulation/mutants.js.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { mutants } from '../test/simulation/mutants.js';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules/.cache', `evfwd-simulation-${process.pid}`);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// The program reads its version there.
mkdirSync(folder, { recursive: true });
cpSync(join(root, 'package.json'), join(folder, 'package.json'));

const at = process.argv.indexOf('--mutant');
const [, name] = at < 0 ? [] : process.argv.splice(at, 2);

await build({
  root,
  plugins: name === undefined ? [] : [mutating(name)],
  configFile: false,
  logLevel: 'error',
  build: {
    ssr: join(root, 'test/simulation/main.ts'),
    outDir: join(folder, 'bundle'),
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'main.js', codeSplitting: false } },
  },
});
await import(pathToFileURL(join(folder, 'bundle/main.js')).href);

/** Puts the defect of this name into the code. */
function mutating(name) {
  const mutant = mutants.find((one) => one.name === name);
  if (!mutant) throw new Error(`no mutant is called ${JSON.stringify(name)}`);
  const { file, from, to } = mutant;
  return {
    name: 'mutant',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(`/src/${file}`)) return undefined;
      if (!code.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
      return code.replace(from, () => to);
    },
  };
}
