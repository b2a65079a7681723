import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/cli.js';
import { inProcess as cli } from '../../helpers/in-process.js';

const target = 'a target (--url <webhook URL>, or --write-key';

describe('all that is missing is named in one line', () => {
  it.each([
    ['import', ['missing: event files', target, 'e.g. evfwd import']],
    ['audience sync', ['a name (--name)', 'a list (--members)', target, 'evfwd audience sync']],
    ['audience trait --name x', ['missing: a list (--values)', target, 'evfwd audience trait']],
    ['audience sync --name x --url http://localhost/', ['missing: a list (--members);']],
    ['import --write-key k', ['event files', 'a collector URL (--endpoint']],
    ['import --url http://localhost/', ['no event files: pass files']],
    ['validate', ['no event files: pass files']],
    [
      'replay --url http://localhost/',
      [
        'no captures or HAR files: pass files, pipe requests to standard input, or use --files-from',
      ],
    ],
  ])('%s', async (line, parts) => {
    const { code, stderr } = await atTerminal(line.split(' '));
    for (const part of parts) expect(stderr).toContain(part);
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('a pipe counts as event files', async () => {
    const { stderr } = await cli(['import']);
    expect(stderr).toMatch(/^evfwd: no target; use --url/);
  });
});

it.each([
  ['import events.ndjson --url http://localhost/ --log -', '/dev/stdout in a pipe'],
  ['import events.ndjson --url http://localhost/ --dead-letter=-', '/dev/stdout in a pipe'],
  ['import events.ndjson --url http://localhost/ --state-dir -', 'name of a directory'],
  ['listen --port 0 --record -', '--json to print captures'],
  ['listen --port 0 --junit -', 'use a file name'],
  ['report attempts.ndjson --html -', 'use a file name'],
])('a file to write is not called "-": %s', async (line, advice) => {
  const { code, stderr } = await cli(line.split(' '));
  expect(stderr).toContain('does not write to standard output');
  expect(stderr).toContain(advice);
  expect(stderr.match(/\n/g)).toHaveLength(1);
  expect(code).toBe(2);
  expect(existsSync('-')).toBe(false);
});

/** Nothing is piped to the program. */
async function atTerminal(args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const stderr = new PassThrough();
  let code = 0;
  await main(['node', 'evfwd', ...args], {
    stdin: Object.assign(new PassThrough(), { isTTY: true }),
    stdout: new PassThrough(),
    stderr,
    env: {},
    cwd: process.cwd(),
    exit: (given) => {
      code = given;
    },
  });
  return { code, stderr: await text(stderr.end()) };
}
