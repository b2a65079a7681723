import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, root } from './helpers/installed-package.js';
import { execFileSync } from './helpers/run-sync.js';

const folder = mkdtempSync(join(tmpdir(), 'evfwd-library-'));
const dist = join(folder, 'node_modules/evfwd/dist');

beforeAll(() => installPacked(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs Node in the folder; what it prints, errors included. */
function node(...args: string[]): string {
  const { PATH = '', HOME = '' } = process.env;
  try {
    const env = { PATH, HOME };
    return execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout || String(error);
  }
}

const evaluate = (code: string, type = 'module'): string =>
  node(`--input-type=${type}`, '--eval', code);

const declarations = (): string[] =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.d.ts'));

describe('the types of the package', () => {
  it('contain nothing that only the program uses', () => {
    const text = declarations().map((path) => readFileSync(join(dist, path), 'utf8'));
    const internal =
      /returnsRetries|reportsAtOnce|guard|onNotice|onDown|endpointDeliveries|\b(?:room|drain|interrupt|release|send)\(|@internal/;
    expect(text.filter((one) => internal.test(one))).toEqual([]);
  });

  it('need no optional package', () => {
    const text = declarations().map((path) => readFileSync(join(dist, path), 'utf8'));
    expect(text.filter((one) => /pg-boss|node-postgres/.test(one))).toEqual([]);
  });

  it('export only what an entry exports', () => {
    const exported = (path: string): string[] =>
      [
        ...readFileSync(join(dist, path), 'utf8').matchAll(
          /^export (?:declare )?(?:abstract )?(?:class|interface|type|function|const) (\w+)/gm,
        ),
      ].map(([, name]) => name!);
    const entry = readFileSync(join(dist, 'index.d.ts'), 'utf8');
    const unknown = declarations()
      .flatMap(exported)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(entry));
    // Parts of outcomes, named by no caller.
    expect([...new Set(unknown)].sort()).toEqual(['Attempted', 'NotDelivered']);
  });

  it('lead only to files that are there', () => {
    const missing = declarations().flatMap((path) => {
      const text = readFileSync(join(dist, path), 'utf8');
      const imports = [...text.matchAll(/(?:from |import\()["'](\.[^"']+)\.js["']/g)];
      return imports
        .map(([, name]) => join(dirname(path), `${name}.d.ts`))
        .filter((target) => !declarations().includes(target));
    });
    expect(missing).toEqual([]);
  });
});

/** Programs of users: the examples of the page and of the docstrings, and what follows from the types. */
function programs(): Record<string, string> {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const onPage = [...page.matchAll(/^```[jt]s\n(.*?)^```$/gms)].map(([, code]) => code!);
  // The types of the frameworks are not ours; those of Fastify take half a minute.
  const examples = onPage.filter((code) => !/from '(?:express|fastify|vitest)'/.test(code));
  const docstrings = declarations()
    .filter((path) => !path.startsWith('cjs'))
    .flatMap(examplesIn);
  expect(docstrings.length).toBeGreaterThan(3);
  const all = [...examples, ...docstrings, usage];
  return Object.fromEntries(all.map((code, i) => [`program-${i}.mts`, `${code}\nexport {};\n`]));
}

/** The examples in the docstrings of a file. */
function examplesIn(path: string): string[] {
  const text = readFileSync(join(dist, path), 'utf8');
  const found = text.matchAll(/^ *\* @example\n([^]*?)^ *\*\/$/gm);
  return [...found].map(([, lines]) => lines!.replace(/^ *\* ?/gm, ''));
}

const usage = `
import { WebhookDestination, Client, readEvents, type Outcome, type ClientOptions } from 'evfwd';
import { sign, signRequest, verify, verifyRequest, type VerifyReason } from 'evfwd/sign';

export function textOf(outcome: Outcome): string {
  if (outcome.verdict === 'delivered') {
    // @ts-expect-error a delivered event has no reason
    outcome.code;
    return outcome.messageId.toUpperCase();
  }
  const reason: string = outcome.code + outcome.message;
  if (outcome.verdict === 'rejected') return reason;
  return outcome.messageId + reason + (outcome.attempts[0]?.status ?? '');
}
interface SignedUp { type: 'track'; userId: string; event: string }
const event: SignedUp = { type: 'track', userId: 'u', event: 'Signed Up' };
const destination = new WebhookDestination({ endpoints: [{ url: 'http://localhost:1/' }], body: 'original' });
textOf(await destination.deliver(event));
// @ts-expect-error internal
destination.drain();
// @ts-expect-error internal
new WebhookDestination({ endpoints: [], returnsRetries: true });
// @ts-expect-error not a body form
new WebhookDestination({ endpoints: [], body: 'raw' });
const options: ClientOptions = { endpoint: 'http://localhost:1/' };
new Client('key', options).on('failed', ({ code, message }) => code + message);
for await (const item of readEvents('a')) if (!('code' in item)) await destination.deliver(item);
verify('a', new Headers().get('x-signature'), sign('a', 'k'));
// @ts-expect-error a secret is needed
sign('a');
const signed: Record<string, string> = signRequest({ secret: ['k', 'l'], body: 'a', scheme: 'stripe' });
const { reason } = verifyRequest({ secret: 'k', body: 'a', headers: new Headers(signed), toleranceMs: null });
export const why: VerifyReason | undefined = reason;
verifyRequest({ secret: 'k', body: 'a', headers: Object.entries(signed), now: new Date() });
// @ts-expect-error not an option
signRequest({ secret: 'k', body: 'a', now: 1 });
`;

describe('a strict program', { timeout: 240_000 }, () => {
  const strict = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ isolatedModules: true, verbatimModuleSyntax: true, skipLibCheck: false },
    ...{ noEmit: true, target: 'es2023', types: [] },
  };
  const compile = (name: string, compilerOptions: object, files: string[]): string => {
    const config = { compilerOptions: { ...strict, ...compilerOptions }, files };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(config));
    return node(join(root, 'node_modules/typescript/bin/tsc'), '-p', `${name}.json`);
  };

  it.each([
    ['node16', { module: 'node16', moduleResolution: 'node16' }],
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }],
    ['bundler', { module: 'preserve', moduleResolution: 'bundler' }],
  ])('compiles with every example, as a module: %s', (name, options) => {
    const found = programs();
    for (const [file, code] of Object.entries(found)) writeFileSync(join(folder, file), code);
    expect(compile(name, options, Object.keys(found))).toBe('');
  });

  it.each(['node16', 'nodenext'])('compiles as CommonJS: %s', (module) => {
    const code = `import evfwd = require('evfwd');
      import signatures = require('evfwd/sign');
      const client: evfwd.Client = new evfwd.Client('key', { endpoint: 'http://localhost:1/' });
      export = [client, signatures.sign('a', 'k'), evfwd.UsageError];`;
    writeFileSync(join(folder, 'common.cts'), code);
    const options = { module, moduleResolution: module };
    expect(compile(`common-${module}`, options, ['common.cts'])).toBe('');
  });
});

describe('require', () => {
  const print = `const all = require('evfwd'); const { sign } = require('evfwd/sign');
    const same = all.sign === sign && all.verify(Buffer.from('a'), sign('a', 'k'), 'k');
    console.log(Object.keys(all).sort().join(), same);`;
  const names = 'BrokenInputError,Client,EvfwdError,QueueFullError,UsageError,ValidationError';
  const functions = 'check,createReceiver,readEvents,sign,signRequest,verify,verifyRequest';
  const printed = `${names},WebhookDestination,${functions} true\n`;

  it('has all names, without loading modules as Node did before 20.19', () => {
    expect(evaluate(print, 'commonjs')).toBe(printed);
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const hasFlag = major === 20 && minor >= 17;
    const flags = hasFlag ? ['--no-experimental-require-module'] : [];
    expect(node(...flags, '--input-type=commonjs', '--eval', print)).toBe(printed);
  });

  it('has the names of import', () => {
    const imported = evaluate(
      `import * as all from 'evfwd'; console.log(Object.keys(all).join());`,
    );
    expect(printed).toBe(`${imported.trim()} true\n`);
  });
});

describe('evfwd/sign', () => {
  it('loads few and small files, and nothing of HTTP, TLS or a database', () => {
    const code = `import { sign, verify } from 'evfwd/sign';
      const loaded = process.moduleLoadList.map((name) => name.replace(/^\\w+ /, ''));
      const heavy = /^(?:http|https|http2|tls|net|dns|sqlite|worker_threads|internal\\/deps\\/undici)\\b/;
      console.log(JSON.stringify({
        valid: verify('a', sign('a', 'k'), 'k'),
        heavy: loaded.filter((name) => heavy.test(name)),
      }));`;
    const idle = code.replace(/^import.*$/m, 'const sign = () => 1, verify = () => true;');
    expect(JSON.parse(evaluate(code))).toEqual(JSON.parse(evaluate(idle)));
    const loaded = loadedFrom(join(dist, 'esm/sign/index.js'));
    expect(loaded.size).toBeLessThan(8);
    const bytes = [...loaded].reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThan(120_000);
  });
});

/** A built file, and those that it imports, directly or not. */
function loadedFrom(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of readFileSync(path, 'utf8').matchAll(/(?:from|import) "(\..*?)"/g))
    loadedFrom(join(dirname(path), name!), found);
  return found;
}
