import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';

const capture = JSON.stringify({
  ...{ type: 'request', method: 'POST', path: '/', headers: {}, body: '{}' },
});

it.each([
  ['validate', ['validate', 'lines'], '{}'],
  ['validate --json', ['validate', '--json', 'lines'], '{}'],
  ['verify-sig', ['verify-sig', '--requests', 'lines'], capture],
])('%s has nothing to say when nobody reads its list to the end', async (_, args, line) => {
  const cwd = folderWith({ lines: `${line}\n`.repeat(20_000) });
  const child = start(args, { cwd, env: { EVFWD_SECRET: 's' } });
  child.stdin.end();
  child.stdout.once('data', () => child.stdout.destroy());
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([stderr, code]).toEqual(['', 1]);
});
