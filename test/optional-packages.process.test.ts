import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { installPacked, root } from './helpers/installed-package.js';
import { startReceiver } from './helpers/receiver.js';
import { RedisServer } from './helpers/redis-server.js';
import { hasTool } from './helpers/tools.js';

const folder = mkdtempSync(join(tmpdir(), 'evfwd-optional-'));
const [plain, complete] = [join(folder, 'plain'), join(folder, 'complete')];
const events = join(folder, 'events.ndjson');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, unknown>;
};

beforeAll(() => {
  for (const [place, optional] of [
    [plain, []],
    [complete, Object.keys(manifest.peerDependencies)],
  ] as const) {
    mkdirSync(place);
    installPacked(place, optional);
  }
  const line = (index: number): string =>
    `{"type":"track","userId":"u","event":"E","messageId":"m${index}"}\n`;
  writeFileSync(events, Array.from({ length: 20 }, (_, index) => line(index)).join(''));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = (place: string): string => join(place, 'node_modules/evfwd/bin/evfwd.js');
const { PATH = '', HOME = '' } = process.env;

function evfwd(place: string, ...args: string[]) {
  const options = { cwd: place, env: { PATH, HOME }, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, [program(place), ...args], options);
}

describe('a package without BullMQ and ioredis', () => {
  const queue = ['--queue', 'redis://127.0.0.1:1/0'];

  it('does not have them installed by itself', () => {
    const isOptional = { optional: true };
    expect(manifest.peerDependenciesMeta).toEqual({ bullmq: isOptional, ioredis: isOptional });
  });

  it.each([
    ['import', [events, '--url', 'http://localhost:1/']],
    ['worker', []],
    ['runs', []],
  ])('says in one line what %s --queue needs', (command, args) => {
    const { status, stdout, stderr } = evfwd(plain, command, ...args, ...queue);
    expect(stderr).toMatch(/^evfwd: .*npm install .*bullmq ioredis.*\n$/);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it.each(['import', 'worker', 'runs'])('has the help of %s', (command) => {
    const { status, stdout, stderr } = evfwd(plain, command, '--help');
    expect(stdout).toContain('--queue');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe.skipIf(!hasTool('redis-server'))('a package with BullMQ and ioredis beside it', () => {
  it('shares an import with a worker', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const redis = await RedisServer.start();
    const queue = ['--queue', redis.url];
    start('worker', ...queue);
    const planner = start('import', events, '--url', receiver.url, ...queue, '--json');
    const [stdout, [code]] = await Promise.all([
      planner.stdout.toArray(),
      once(planner, 'exit') as Promise<[number]>,
    ]);
    const summary = JSON.parse(stdout.join('').trim().split('\n').at(-1)!);
    expect(summary).toMatchObject({ type: 'summary', read: 20, delivered: 20 });
    expect(code).toBe(0);
    expect(new Set(receiver.json().map(({ messageId }) => messageId)).size).toBe(20);
    const runs = evfwd(complete, 'runs', ...queue, '--json').stdout;
    expect(JSON.parse(runs)).toMatchObject({ type: 'run', state: 'finished', delivered: 20 });
  });
});

/** Of the complete package; killed at the end of the test. */
function start(...args: string[]): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(process.execPath, [program(complete), ...args], {
    cwd: complete,
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
