import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execFileSync } from './helpers/run-sync.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};

const bundle = (await import(new URL('../scripts/bundle.js', import.meta.url).href)) as {
  entries: Record<string, string>;
};

/** An empty folder, in which the tarball is installed with what it depends on, and nothing else. */
const folder = mkdtempSync(join(tmpdir(), 'evfwd-package-'));
const installed = join(folder, 'node_modules/evfwd');
let packed: string[];
/** Bytes of the tarball. */
let size: number;

beforeAll(() => {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, files, ...tarball }] = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  size = tarball.size as number;
  packed = files.map(({ path }: { path: string }) => path);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed]);
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link, 'junction');
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function evfwd(...args: string[]): string {
  return node(join(installed, 'bin/evfwd.js'), ...args);
}

function node(...args: string[]): string {
  const { PATH = '', HOME = '' } = process.env;
  return execFileSync(process.execPath, args, {
    cwd: folder,
    env: { PATH, HOME },
    encoding: 'utf8',
  });
}

describe('the package', () => {
  it('holds the program, its page, the library with its types, fixtures and documents alone', () => {
    const known =
      /^(?:bin\/(?:evfwd\.js|package\.json)|dist\/(?:[\w/-]+\.(?:js|d\.ts)|cli\/(?:[\w.-]+\.cjs|package\.json)|cjs\/package\.json|prebuilds\/(?:linux-x64|darwin-arm64|win32-x64)\/@photostructure\+sqlite\.glibc\.node|(?:inspector|service-page)\/(?:index\.html|licenses\.md|assets\/[\w.-]+)|THIRD-PARTY-NOTICES\.txt)|fixtures\/[\w-]+\.json|fixes\/(?:(?:verify\/)?[\w-]+\.(?:js|py|go|rb|php)|snippets\/[\w-]+\.md)|docs\/[\w/-]+\.md|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
    expect(packed.filter((path) => !known.test(path))).toEqual([]);
    expect(packed).toContain('dist/index.d.ts');
    expect(packed).toContain('dist/THIRD-PARTY-NOTICES.txt');
  });

  it('has less than 6 MB', () => {
    expect(size).toBeLessThan(6 * 1024 * 1024);
    expect(packed).not.toContain('docs/performance-method.md');
  });

  it('has every page that its documents link to; pictures are in the repository', () => {
    const documents = packed.filter((path) => path.endsWith('.md') && !path.startsWith('dist/'));
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  it('installs quietly: no scripts, and few dependencies for any Node that it runs on', () => {
    const { scripts, dependencies } = manifest;
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(scripts).not.toHaveProperty(name);
    // Those after the first three read archives.
    expect(Object.keys(dependencies)).toEqual([
      ...['@types/node', 'damerau-levenshtein', 'debug'],
      ...['fzstd', 'hyparquet', 'hyparquet-compressors', 'picomatch', 'xxhash-wasm', 'yauzl'],
    ]);
  });

  it('has a file of its own for each entry of the bundle', () => {
    for (const name of Object.keys(bundle.entries))
      expect(packed).toContain(`dist/cli/${name}.cjs`);
  });

  it('leaves what only the program uses out of the library', () => {
    const texts = packed
      .filter((path) => /^dist\/(?:esm|cjs)\/.*\.js$/.test(path))
      .map((path) => readFileSync(join(installed, path), 'utf8'));
    const modules = texts.flatMap((text) => text.match(/^\/\/ src\/.*$/gm) ?? []);
    expect(modules).toContain('// src/check/library.ts');
    expect(modules.filter((name) => /src\/(?:commands|config|ledger)\//.test(name))).toEqual([]);
  });

  it('names every package whose code it holds, with its license', () => {
    const notices = readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    const sections = notices.split(/^## /m).slice(1);
    const heading = /^(\S+) - \d+\.\d+\.\d+\S* \((?:MIT|ISC|BSD\S*|Apache-2\.0)\)\n/;
    const names = sections.map((section) => heading.exec(section)?.[1]);
    expect(names).toEqual(expect.arrayContaining([...bundledPackages()]));
    expect(names).toEqual(expect.arrayContaining(['commander', 'fastify', 'ndjson']));
    const text =
      /permission (?:is hereby granted|to use)|redistribution and use in source|apache license\n/i;
    expect(sections.filter((section) => !text.test(section))).toEqual([]);
  });
});

/** Links relative to a document whose target is not in the package. */
function brokenLinks(document: string): string[] {
  const text = readFileSync(join(installed, document), 'utf8');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  const targets = links.map(([, inText, inTag]) => (inText ?? inTag)!.replace(/#.*$/, ''));
  return targets
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target) && !/\.(?:png|svg)$/.test(target))
    .filter((target) => !packed.includes(posix.join(posix.dirname(document), target)))
    .map((target) => `${document}: ${target}`);
}

/** The bundler writes the path of a module above its code, unless it has joined it with others. */
function bundledPackages(): Set<string> {
  const cli = join(installed, 'dist/cli');
  const texts = readdirSync(cli).map((name) => readFileSync(join(cli, name), 'utf8'));
  const paths = texts.flatMap((text) => [
    ...text.matchAll(/^\/\/(?:#region)? node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm),
  ]);
  return new Set(paths.map(([, name]) => name!));
}

describe('the installed program', () => {
  const body = '{"type":"track"}';

  it('knows its version', () => {
    expect(evfwd('--version')).toBe(`${manifest.version}\n`);
  });

  it('signs a body and verifies it', () => {
    writeFileSync(join(folder, 'body.json'), body);
    writeFileSync(join(folder, 'secret.txt'), 's3cret\n');
    const secret = ['--secret-file', 'secret.txt'];
    const signature = evfwd('sign', 'body.json', ...secret).trim();
    expect(evfwd('verify-sig', 'body.json', '--signature', signature, ...secret)).toBe('valid\n');
  });

  it('shows a request made of a fixture', () => {
    const shown = evfwd('send', '--fixture', 'track', '--url', 'http://localhost:1/', '--dry-run');
    expect(shown).toContain('POST http://localhost:1/');
    expect(shown).toContain(`evfwd/${manifest.version}`);
  });

  it('reads profiles from a configuration file', () => {
    const config =
      'profiles:\n  here:\n    webhooks:\n      endpoints: [{ url: http://localhost:2/ }]\n';
    writeFileSync(join(folder, 'evfwd.config.yaml'), config);
    const shown = evfwd('send', '--fixture', 'track', '--profile', 'here', '--dry-run');
    expect(shown).toContain('POST http://localhost:2/');
  });

  it('imports events with a transform that is a module, and keeps its state', () => {
    writeFileSync(join(folder, 'none.mjs'), 'export default () => null;\n');
    writeFileSync(join(folder, 'events.ndjson'), '{"type":"track","userId":"u","event":"E"}\n');
    const flags = [
      '--url',
      'http://localhost:1/',
      '--transform',
      'none.mjs',
      '--log',
      'log.ndjson',
    ];
    const lines = evfwd('import', 'events.ndjson', ...flags, '--json')
      .trim()
      .split('\n');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ read: 1, skipped: 1 });
    expect(existsSync(join(folder, '.evfwd'))).toBe(true);
  });
});

describe('the installed library', () => {
  it('is imported by its name', () => {
    const code = `import { sign, verify } from 'evfwd'; console.log(verify('a', sign('a', 'k'), 'k'));`;
    expect(node('--input-type=module', '--eval', code)).toBe('true\n');
  });

  it('has types that a strict program of today compiles with', { timeout: 240_000 }, () => {
    const code = `import { Client, WebhookDestination, sign, type Outcome } from 'evfwd';
      export const text: string = sign('a', 'k');
      export const client: Client = new Client('key', { endpoint: 'http://localhost:1' });
      export const outcome = (to: WebhookDestination): Promise<Outcome> =>
        to.deliver({ type: 'track', userId: 'u', event: 'E' });
      // @ts-expect-error a secret is needed
      sign('a');`;
    writeFileSync(join(folder, 'consumer.mts'), code);
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    expect(node(compiler, ...flags, 'consumer.mts')).toBe('');
  });
});
