import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));

/**
 * The rooms, from the ground up: a room imports itself and those before it, types included. A file that
 * stands alone in `src/` is a room of its own.
 */
const rooms = [
  [
    'errors',
    'clock',
    'defaults',
    'duration',
    'memory-limits',
    'version',
    'nearest',
    'quoted',
    'rate',
    'size',
    'turn-lease',
    'with-resolvers',
    'rethrow-outside',
  ],
  ['option-names'],
  ['option-rules'],
  ['collections'],
  ['storage'],
  ['store'],
  ['net'],
  ['http'],
  ['json'],
  ['fixtures'],
  ['events'],
  ['vendors'],
  ['steps'],
  ['sources'],
  ['delivery'],
  ['sign'],
  ['ledger'],
  ['webhook'],
  ['collector'],
  ['replay'],
  ['output'],
  ['report'],
  ['config'],
  ['api'],
  ['web'],
  ['receive'],
  ['serve'],
  ['listen'],
  ['importer'],
  ['run'],
  ['audience'],
  ['check'],
  ['index'],
  ['commands'],
  ['cli'],
];

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .sort();

describe('the source', () => {
  it('belongs to a known room', () => {
    const known = rooms.flat();
    expect(files.filter((file) => !known.includes(roomOf(file)))).toEqual([]);
    expect(known.filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([]);
  });

  it('imports only its own room and those before it', () => {
    const wrong = files.flatMap((file) =>
      ownImports(file)
        .filter((imported) => !mayImport(roomOf(file), roomOf(imported)))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has commands that share only commands/shared and commands/flags', () => {
    const folderOf = (file: string) => /^commands\/([^/]+)\//.exec(file)?.[1];
    const wrong = files.flatMap((file) =>
      earlyImports(file)
        .filter((imported) => {
          const [from, to] = [folderOf(file), folderOf(imported)];
          const isShared = to === 'shared' || to === 'flags';
          return from !== to && from !== undefined && to !== undefined && !isShared;
        })
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no circular imports, except late ones', () => {
    // The list of commands loads each one when it is called, and one of them prints the list.
    const inRing = files.filter((file) => reachable(earlyImports(file), earlyImports).has(file));
    expect(inRing).toEqual([]);
  });

  it('imports existing files, by their built names', () => {
    const missing = files.flatMap((file) =>
      ownImports(file).filter((imported) => !files.includes(imported)),
    );
    expect(missing).toEqual([]);
    expect(files.flatMap(importsOf).filter((name) => /^\..*(?<!\.js)$/.test(name))).toEqual([]);
  });
});

describe('the storage', () => {
  const storage = files.filter((file) => roomOf(file) === 'storage');

  it('does not know what is stored', () => {
    const imported = new Set(storage.flatMap(ownImports).map(roomOf));
    imported.delete('storage');
    expect([...imported].sort()).toEqual(['clock', 'errors']);
  });

  it('and the ledger get the time from an injected clock', () => {
    const own = /\b(?:Date\.now|performance\.now|new Date\(\)|setTimeout|setInterval)\b/;
    const rooms = ['storage', 'ledger', 'audience'];
    const reading = files.filter((file) => rooms.includes(roomOf(file)) && own.test(codeOf(file)));
    expect(reading).toEqual([]);
  });
});

describe('the process', () => {
  const uses = /\bprocess\.(?:env|argv|stdin|stdout|stderr|exit\w*|on|cwd)\b|\bconsole\b/g;

  it('is used only by commands and the program', () => {
    const used = files
      .filter((file) => !['commands', 'cli'].includes(roomOf(file)))
      .flatMap((file) => [...codeOf(file).matchAll(uses)].map(([name]) => `${file}: ${name}`));
    // The default for `-` in the library.
    expect(used).toEqual(['sources/source.ts: process.stdin']);
  });

  it('is ended only by the program, and at a second Ctrl-C', () => {
    const ending = files.filter((file) => /process\.exit(?:Code)?\b/.test(codeOf(file)));
    expect(ending).toEqual([
      'commands/shared/broken-output.ts',
      'commands/shared/interruption.ts',
      'commands/shared/process-io.ts',
    ]);
  });
});

describe('the library', () => {
  const library = reachable(['index.ts']);

  it('imports nothing that prints', () => {
    const printing = [...library].filter((file) =>
      ['commands', 'cli', 'output', 'config'].includes(roomOf(file)),
    );
    // `check` returns commands to be pasted, and what a response said.
    expect(printing.sort()).toEqual([
      'output/curl-command.ts',
      'output/printable.ts',
      'output/response-text.ts',
      'output/shell-text.ts',
      'output/shell.ts',
    ]);
  });

  it('depends on few packages, none of them made for terminals', () => {
    const packages = new Set(
      [...library].flatMap(importsOf).filter((name) => !/^(?:\.|node:)/.test(name)),
    );
    expect([...packages].sort()).toEqual([
      ...['damerau-levenshtein', 'debug', 'fzstd', 'hyparquet', 'hyparquet-compressors'],
      // Late, for tokens of OAuth2.
      ...['picomatch', 'undici', 'xxhash-wasm', 'yauzl'],
    ]);
  });

  it('only re-exports in its entry', () => {
    const statements = codeOf('index.ts')
      .split(';')
      .filter((statement) => statement.trim());
    expect(statements.filter((statement) => !/^\s*export\b[^]*\bfrom\b/.test(statement))).toEqual(
      [],
    );
  });
});

it('no file has a default export', () => {
  expect(files.filter((file) => /^export default\b/m.test(codeOf(file)))).toEqual([]);
});

/** `events` of `events/event.ts`, `clock` of `clock.ts`. */
function roomOf(file: string): string {
  return file.split('/')[0]!.replace(/\.tsx?$/, '');
}

function mayImport(from: string, to: string): boolean {
  const rank = (room: string) => rooms.findIndex((names) => names.includes(room));
  return from === to || rank(to) < rank(from);
}

/** The text without its comments. */
function codeOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return text.replace(/^\s*\/\*[^]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '');
}

/** The imports and re-exports of a file, including types and late imports. */
function importsOf(file: string): string[] {
  return named(file, /(?<!['.])\b(?:from\s*|import\s*\(?\s*)'([^']+)'/g);
}

/** Of those, the files of `src/`. */
function ownImports(file: string): string[] {
  return inSource(file, importsOf(file));
}

/** Of those, the ones that are loaded with the file itself. */
function earlyImports(file: string): string[] {
  return inSource(file, named(file, /\bfrom\s*'([^']+)'/g));
}

function named(file: string, imports: RegExp): string[] {
  return [...codeOf(file).matchAll(imports)].map(([, name]) => name!);
}

function inSource(file: string, names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(dirname(file), name.replace(/\.js$/, '.ts')))
    .map((name) => (files.includes(`${name}x`) ? `${name}x` : name));
}

/** The files that these import, directly or not, and these themselves. */
function reachable(start: readonly string[], imports = ownImports): Set<string> {
  const found = new Set<string>();
  const open = [...start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    open.push(...imports(file));
  }
  return found;
}
