/** `src/version.ts` reads package.json, which need not be read where it is known. */
export function versionAsText(version) {
  return {
    name: 'version-as-text',
    load: {
      filter: { id: /\/src\/version\.ts$/ },
      handler: () => `export const version = ${JSON.stringify(version)};`,
    },
  };
}

/**
 * commander as modules instead of CommonJS: else Node 20 looks at each of its functions twice, 1 ms.
 * It loads `node:child_process` for subcommands that are programs of their own, of which there are
 * none here: 3 ms.
 */
export function commanderAsModules() {
  return {
    name: 'commander-as-modules',
    load: {
      filter: { id: /\/node_modules\/commander\/esm\.mjs$/ },
      handler: () => `
        export { Command } from './lib/command.js';
        export { CommanderError, InvalidArgumentError } from './lib/error.js';
      `,
    },
    transform: {
      filter: { id: /\/node_modules\/commander\/lib\/\w+\.js$/ },
      handler: (code) => ({ code: asModule(code), moduleType: 'js' }),
    },
  };
}

function asModule(code) {
  const text = code
    .replace(/^const process = .*$/m, '')
    .replace(/^const childProcess = .*$/m, lateChildProcess)
    .replace(/\brequire\(('node:\w+')\)/g, 'process.getBuiltinModule($1)')
    .replace(/^const (\{[^}]+\}) = require\(('\.[^']+')\);$/gm, 'import $1 from $2;')
    .replace(/^exports\.(\w+) = \1;.*$/gm, 'export { $1 };');
  if (!/\b(?:require\(|exports\.)/.test(text)) return text;
  throw new Error('commander is written otherwise now; see commanderAsModules');
}

const lateChildProcess =
  "const childProcess = { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) };";

/** The bundler's few helpers stand in each file that uses them, instead of in one more to load. */
export function runtimeInEachFile() {
  const name = 'rolldown-runtime.cjs';
  const load = `require("./${name}")`;
  return {
    name: 'runtime-in-each-file',
    generateBundle(_, bundle) {
      const helpers = `(() => {\nconst exports = {};\n${bundle[name].code}\nreturn exports;\n})()`;
      Reflect.deleteProperty(bundle, name);
      for (const file of Object.values(bundle)) file.code = file.code.replace(load, () => helpers);
    },
  };
}
