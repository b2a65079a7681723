import { closeSync, openSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { spawnSync } from '../helpers/run-sync.js';

const event = (n: number): string => `{"type":"track","userId":"u${n}","event":"E"}\n`;
const pretty = JSON.stringify(JSON.parse(event(1)), null, 2);

describe('the event files of validate', () => {
  const validate = (args: readonly string[], files: Record<string, string | Buffer>, stdin = '') =>
    inProcess(['validate', ...args], { cwd: folderWith(files), stdin });

  it('are a pipe if none is named', async () => {
    const { code, stdout } = await validate([], {}, event(1));
    expect([code, stdout]).toEqual([0, '1 event: all valid\n']);
  });

  it('are not a pipe without a byte, unless it is named', async () => {
    const { code, stderr } = await validate([], {});
    expect([code, stderr]).toEqual([
      2,
      'evfwd: standard input is empty; pass files, or pipe lines to it\n',
    ]);
    expect((await validate(['-'], {})).code).toBe(0);
  });

  it('are said to be read in part where their end is missing', async () => {
    const whole = gzipSync(event(1) + event(2), { level: 0 });
    const cut = { 'a.gz': whole.subarray(0, -20), b: event(3) };
    const { code, stdout } = await validate(['a.gz', 'b'], cut);
    expect([code, stdout]).toEqual([
      1,
      'a.gz:2: the gzip data is truncated, after 1 whole line; fix the file and run again (broken_input)\n' +
        '2 events: all valid; 1 file not read to the end\n',
    ]);
  });

  it.each([
    ['lines, CRLF, blank ones and a byte order mark', '\ufeffa\r\n\r\n \nb b\n'],
    ['names separated by NUL', 'a\0b b\0'],
  ])('are those of --files-from as well: %s', async (_, list) => {
    const files = { list, a: event(1), 'b b': event(2), c: event(3) };
    const found = await validate(['c', '--files-from', 'list'], files);
    expect([found.code, found.stdout]).toEqual([0, '3 events: all valid\n']);
    const piped = await validate(['--files-from', '-'], files, list);
    expect(piped.stdout).toBe('2 events: all valid\n');
  });

  it.each([
    [['--files-from', 'none'], 'evfwd: --files-from none: no such file; check the path'],
    [['--files-from', 'list'], 'evfwd: list:2: gone: no such file; check the path'],
    [['--files-from', 'empty'], 'evfwd: --files-from empty: has no names of files'],
    [
      ['--files-from', 'a'],
      'evfwd: --files-from a: has events, not names of files; pass it as a file',
    ],
    [
      ['-', '--files-from', '-'],
      'evfwd: standard input (-) can be read only once, and --files-from - reads names from it; pass the events as files',
    ],
    [
      ['a', 'gone', 'lost'],
      'evfwd: gone: no such file; check the path; cannot be read either: lost',
    ],
  ])('cannot be %j: one line, exit code 2', async (args, message) => {
    const files = { a: event(1), list: 'a\ngone\n', empty: '\n' };
    const { code, stdout, stderr } = await validate(args, files, 'a\n');
    expect([code, stdout, stderr]).toEqual([2, '', `${message}\n`]);
  });

  it('are asked for where standard input is not a pipe', () => {
    const none = openSync('/dev/null', 'r');
    const { status, stderr } = spawnSync(process.execPath, [program, 'validate'], {
      stdio: [none, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    closeSync(none);
    expect([status, stderr]).toEqual([
      2,
      'evfwd: no event files: pass files, pipe events to standard input, or use --files-from\n',
    ]);
  });
});

describe('an import', () => {
  let receiver: Receiver;
  beforeEach(async () => (receiver = await startReceiver()));

  it('sends the events of a pipe that is not named', async () => {
    const run = await inProcess(['import', '--url', receiver.url], {
      cwd: folderWith(),
      stdin: event(1) + event(2),
    });
    expect([run.code, receiver.requests.length]).toEqual([0, 2]);
  });

  it('of files and a list is resumed by the command that it prints', async () => {
    const cwd = folderWith({ a: '{}\n{}\n' + event(1), b: event(2), list: 'b\n' });
    const args = ['a', '--files-from', 'list', '--url', receiver.url, '--stop-after', '0'];
    const { stderr } = await inProcess(['import', ...args], { cwd });
    expect(stderr).toContain(`\n  evfwd import ${args.join(' ')}\n`);
    expect(stderr).toContain('\nto continue whatever fails, use --stop-after 100%\n');
  });

  it('sends nothing if one of its files is another format', async () => {
    const cwd = folderWith({ good: event(1), 'a.json': pretty });
    for (const [args, stdin] of [
      [['good', 'a.json'], ''],
      [['good', '-'], pretty],
      [[], pretty],
    ] as const) {
      const run = await inProcess(['import', ...args, '--url', receiver.url], { cwd, stdin });
      expect([run.code, receiver.requests.length]).toEqual([2, 0]);
      expect(run.stderr).toMatch(
        /(?:a\.json|standard input): is JSON over several lines, not NDJSON.*jq -c \./,
      );
    }
  });
});
