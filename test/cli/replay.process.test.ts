import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, ended, onFullDisk, start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { captureFile } from '../replay/captures.js';

const count = 2_000;
/** One group of commits and what is in flight: more may not be repeated after a kill. */
const maxRepeats = 250 + 64;

let receiver: Receiver;
let respond: () => number;

beforeEach(async () => {
  respond = () => 200;
  receiver = await startReceiver(() => ({ status: respond() }));
});
afterEach(() => receiver.close());

const origin = () => new URL(receiver.url).origin;

/** Captures whose path has their number. */
function folderWithCaptures(): string {
  const captures = Array.from({ length: count }, (_, n) => ({
    path: `/n/${n}`,
    method: n % 2 === 0 ? 'POST' : 'PUT',
    bodyBase64: Buffer.from([n % 256, 0xff, n >> 8]).toString('base64'),
  }));
  return folderWith({ got: captureFile(...captures) });
}

const numbers = () => receiver.requests.map(({ path }) => Number(path.slice(3)));

it.each(['SIGKILL', 'SIGTERM'] as const)('a replay that ends by %s goes on', async (signal) => {
  const cwd = folderWithCaptures();
  const args = ['replay', 'got', '--url', origin(), '--json'];
  const child = start(args, { cwd });
  child.stdin.end();
  const first = ended(child);
  await receiver.atLeast(count / 4);
  child.kill(signal);
  await first;
  expect(receiver.requests.length).toBeLessThan(count);
  const { code, stderr } = await cli(args, { cwd });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^resuming after line [\d,]+ of got \(\d+%\)/m);
  expect(new Set(numbers()).size).toBe(count);
  expect(receiver.requests.length - count).toBeLessThanOrEqual(
    signal === 'SIGKILL' ? maxRepeats : 0,
  );
  for (const { path, method, body } of receiver.requests) {
    const n = Number(path.slice(3));
    const bytes = [n % 256, 0xff, n >> 8];
    expect([method, [...body]]).toEqual([n % 2 === 0 ? 'POST' : 'PUT', bytes]);
  }
});

it('a retry is sent again after a restart, with the same bytes', async () => {
  respond = () => 503;
  const cwd = folderWith({ got: captureFile({ path: '/a/../b', bodyBase64: '/wD+' }) });
  const args = ['replay', 'got', '--url', origin(), '--retry-window', '1h', '--json'];
  const child = start(args, { cwd });
  child.stdin.end();
  const first = ended(child);
  await receiver.atLeast(1);
  child.kill('SIGTERM');
  expect((await first).code).toBe(143);
  respond = () => 200;
  const second = await cli(args, { cwd });
  expect(second.code).toBe(0);
  expect(receiver.requests.map(({ path, body }) => [path, body.toString('base64')])).toEqual([
    ['/a/../b', '/wD+'],
    ['/a/../b', '/wD+'],
  ]);
});

it('what listen records is replayed to another receiver', async () => {
  const cwd = folderWith();
  const listen = start(['listen', '--port', '0', '--record', 'got', '--json'], { cwd });
  const closed = ended(listen);
  const url = await new Promise<string>((resolve) =>
    listen.stdout.once('data', (line: Buffer) =>
      resolve((JSON.parse(line.toString().split('\n')[0]!) as { url: string }).url),
    ),
  );
  const base = new URL(url).origin;
  const body = Buffer.from([0, 1, 2, 0xff]);
  await fetch(`${base}/x%2F?y=1`, { method: 'PUT', body, headers: { 'X-A': 'b' } });
  await fetch(`${base}/get`);
  listen.kill('SIGTERM');
  await closed;
  const { code } = await cli(['replay', 'got', '--url', origin(), '--concurrency', '1'], { cwd });
  expect([code, receiver.requests]).toMatchObject([
    0,
    [
      { method: 'PUT', path: '/x%2F?y=1', body, headers: { 'x-a': 'b' } },
      { method: 'GET', path: '/get', body: Buffer.alloc(0) },
    ],
  ]);
});

describe('a full disk', () => {
  const replaying = (...more: string[]) => ['replay', 'got', '--url', origin(), ...more];

  it('of the state ends it with 6 and one line; what it could not save is sent later', async () => {
    respond = () => 400;
    const cwd = folderWithCaptures();
    const args = replaying('--stop-after', '100%', '--dead-letter', 'dead');
    const full = await onFullDisk(400, args, cwd);
    expect(full.code).toBe(6);
    expect(errors(full)).toEqual([expect.stringMatching(/the state cannot be written.*make room/)]);
    const { code } = await cli(args, { cwd });
    expect(code).toBe(3);
    expect(deadPaths(cwd)).toEqual(allPaths);
    expect(new Set(numbers()).size).toBe(count);
  });

  it('of the log ends it with 6 and one line; the rest is sent by the next run, nothing twice', async () => {
    const cwd = folderWithCaptures();
    const full = await cli(replaying('--log', '/dev/full'), { cwd });
    expect(full.code).toBe(6);
    expect(errors(full)).toEqual([expect.stringMatching(/\/dev\/full/)]);
    expect((await cli(replaying(), { cwd })).code).toBe(0);
    expect(numbers().sort((one, other) => one - other)).toEqual(allNumbers);
  });

  it('of the dead letters ends it with 6 and one line; they are written by the next run', async () => {
    respond = () => 400;
    const cwd = folderWithCaptures();
    const full = await cli(replaying('--stop-after', '100%', '--dead-letter', '/dev/full'), {
      cwd,
    });
    expect(full.code).toBe(6);
    expect(errors(full)).toEqual([expect.stringMatching(/\/dev\/full/)]);
    const { code } = await cli(replaying('--stop-after', '100%', '--dead-letter', 'dead'), { cwd });
    expect(code).toBe(3);
    expect(deadPaths(cwd)).toEqual(allPaths);
  });
});

const allNumbers = Array.from({ length: count }, (_, n) => n);
const allPaths = allNumbers.map((n) => `/n/${n}`);

/** The lines of standard error that say what went wrong. */
function errors({ stderr }: { readonly stderr: string }): string[] {
  return stderr.split('\n').filter((line) => line.startsWith('evfwd: '));
}

/** The paths of the saved requests, in the order of their numbers. */
function deadPaths(cwd: string): string[] {
  const lines = readFileSync(join(cwd, 'dead'), 'utf8').trimEnd().split('\n');
  const paths = lines.map(
    (line) => (JSON.parse(line) as { request: { path: string } }).request.path,
  );
  return paths.sort((one, other) => Number(one.slice(3)) - Number(other.slice(3)));
}
