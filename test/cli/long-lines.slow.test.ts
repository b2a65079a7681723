import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

const megabyte = 1024 * 1024;
const event = '{"type":"track","messageId":"m1","userId":"u","event":"E"}';
const long = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(100 * megabyte, 'é')]);
const longAmongEvents = Buffer.concat(
  [event, long, event, long, event].flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')]),
);

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const isLinux = process.platform === 'linux';

async function run(args: readonly string[], content: Buffer, isPiped = false) {
  const cwd = folderWith({ f: content, 'peak.cjs': peak });
  const result = await cli([...args, isPiped ? '-' : 'f'], {
    cwd,
    ...(isLinux && { env: { NODE_OPTIONS: '--require ./peak.cjs' } }),
    ...(isPiped && { stdin: content }),
  });
  return { ...result, cwd, summary: JSON.parse(result.stdout.trim().split('\n').at(-1)!) };
}

/** The most memory that a run has taken. */
function megabytesOf({ cwd }: { readonly cwd: string }): number {
  return Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1024;
}

/** The peak that the system counts for a process begins with that of its parent; this one does not. */
const peak = `
  const { readFileSync, writeFileSync } = require('node:fs');
  if (require('node:worker_threads').isMainThread) process.on('exit', () =>
    writeFileSync('peak', /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));
`;

const validating = ['validate', '--json'];
const importing = (...flags: string[]): string[] => [
  ...['import', '--json', '--url', receiver.url, '--dead-letter', 'letters', ...flags],
];

describe.runIf(isLinux)('memory stays below 150 MB', () => {
  it.each([
    ['two lines of 100 MB among events', () => longAmongEvents, 5],
    ['a file that is such a line, without a newline', () => long, 1],
    ['both packed', () => gzipSync(longAmongEvents), 5],
    ['256 MB of newlines, packed', () => gzipSync(Buffer.alloc(256 * megabyte, '\n')), 0],
    ['256 MB of one byte, packed', () => gzipSync(Buffer.alloc(256 * megabyte, 'a')), 1],
  ])('with %s', { timeout: 120_000 }, async (_, contentOf, read) => {
    const content = contentOf();
    for (const isPiped of [false, true]) {
      const result = await run(validating, content, isPiped);
      expect(result.summary).toMatchObject({ read });
      expect(megabytesOf(result)).toBeLessThan(150);
    }
    for (const threads of ['1', '2']) {
      const result = await run(importing('--threads', threads), content);
      expect(result.summary).toMatchObject({ read });
      expect(megabytesOf(result)).toBeLessThan(150);
    }
  });
});

describe('a line that is too long', () => {
  it.each(['1', '2'])('is a dead letter that says where it is: %s threads', async (threads) => {
    const { code, summary, stderr, cwd } = await run(
      importing('--threads', threads),
      longAmongEvents,
    );
    expect([code, summary]).toMatchObject([3, { read: 5, delivered: 3, rejected: 2 }]);
    expect(stderr).toContain('2 lines were too long (line_too_long) and cannot be retried');
    const deadLetters = readFileSync(join(cwd, 'letters'), 'utf8').trim().split('\n');
    const place = { code: 'line_too_long', length: long.length, raw: `{"a":"${'é'.repeat(2045)}` };
    const first = event.length + 2;
    expect(deadLetters.map((deadLetter) => JSON.parse(deadLetter))).toMatchObject([
      { ...place, line: 2, offset: first },
      { ...place, line: 4, offset: first + long.length + 2 + event.length + 2 },
    ]);
    const again = await cli(['validate', 'letters'], { cwd });
    expect(again.stdout).toMatch(/^letters:1: the dead letter holds only the beginning of a line/);
    expect(again.stdout).toContain('2 events: 0 valid, 2 invalid');
  });
});
