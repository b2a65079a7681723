import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCollector, type Collector } from './server.js';

/** Here the name of the package leads to itself, as built. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const page = await readFile(join(root, 'docs/library.md'), 'utf8');
const [programs = ''] = page.split('## createReceiver');
/** Those after it are run by test/library-examples and test/sign/recipes. */
const examples = [...programs.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!);

const history = [
  '{"type":"page","userId":"u1"}',
  '{"type":"track","userId":"u1"}',
  '{"type":"page","userId":9007199254740993}',
].join('\n');

let folder: string;
let collector: Collector;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evfwd-docs-'));
  await writeFile(join(folder, 'history.ndjson'), history);
  collector = await startCollector();
});

afterAll(async () => {
  await collector.close();
  await rm(folder, { recursive: true });
});

/** Runs an example with the addresses and files of this test in place of its own. */
async function run(example: string): Promise<string> {
  const code = example
    .replaceAll('http://localhost:4400', collector.url)
    .replaceAll("'history.ndjson'", JSON.stringify(join(folder, 'history.ndjson')));
  const argv = ['--input-type=module', '--eval', code];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { cwd: root });
  expect(stderr).toBe('');
  return stdout;
}

/** What each example prints, in the order of the page. */
const printed: readonly RegExp[] = [
  /^$/,
  /^queued as \S+\nmissing_user\n2 delivered, 0 failed\n$/,
  /^delivered \S+\n$/,
  /ndjson:1: page, 29 bytes\n.*ndjson:2 \(byte 30\): missing_event, .*\n.*ndjson:3: page, 41 bytes\n$/,
  /^2 delivered\n$/,
  /^true\nfalse\nfalse\n$/,
  /^\{ valid: true, scheme: 'standard-webhooks' \}\nmismatch\nexpired\n$/,
];

it('every example of the page is run here', () => {
  expect(examples.length).toBe(printed.length);
});

it.each(printed.map((output, i): [number, RegExp] => [i, output]))(
  'example %i of the page works and prints %s',
  async (i, output) => {
    expect(await run(examples[i]!)).toMatch(output);
  },
);
