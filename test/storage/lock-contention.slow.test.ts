import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { spawnSync } from '../helpers/run-sync.js';
import { transpiled } from '../helpers/transpiled.js';

const processes = 20;
const rounds = 60;

const program = `
import { acquireLock } from ${JSON.stringify(transpiled('storage/lock', 'storage/make-folder', 'storage/state-errors', 'errors'))};
let lock;
process.on('message', ({ path, startAt }) => {
  if (path === undefined) {
    lock?.release();
    lock = undefined;
    process.send('released');
    return;
  }
  // All at the same time, as far as possible for several processes.
  while (Date.now() < startAt);
  try {
    lock = acquireLock(path);
    process.send('acquired');
  } catch (error) {
    process.send(error.code === 'locked' ? 'refused' : String(error));
  }
});
process.on('disconnect', () => process.exit());
process.send('ready');
`;

const children: ChildProcess[] = [];

beforeAll(async () => {
  const file = join(folderWith({ 'child.mjs': program }), 'child.mjs');
  for (let i = 0; i < processes; i++) children.push(fork(file, [], { execArgv: [] }));
  await Promise.all(children.map((child) => once(child, 'message')));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

async function repliesTo(message: object): Promise<string[]> {
  const replies = children.map(async (child) => ((await once(child, 'message')) as [string])[0]);
  for (const child of children) child.send(message);
  return Promise.all(replies);
}

/** The pid of a process that has ended. */
const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
const ofDeadProcess = JSON.stringify({ pid: deadPid, startedAt: '1' });

describe('twenty processes at once', () => {
  it.each([
    ['without an owner', undefined, undefined],
    ['of a dead process', ofDeadProcess, undefined],
    ['that is empty', '', undefined],
    ['of a dead process, with the guard of another dead process', ofDeadProcess, ofDeadProcess],
  ])('try to acquire a lock %s: exactly one succeeds', async (_whose, content, guard) => {
    const folder = folderWith();
    for (let round = 0; round < rounds; round++) {
      const path = join(folder, `${round}.lock`);
      if (content !== undefined) writeFileSync(path, content);
      if (guard !== undefined) writeFileSync(`${path}.takeover`, guard);
      const replies = await repliesTo({ path, startAt: Date.now() + 5 });
      expect(new Set(replies)).toEqual(new Set(['acquired', 'refused']));
      expect(replies.filter((reply) => reply === 'acquired')).toHaveLength(1);
      const { pid } = JSON.parse(readFileSync(path, 'utf8')) as { pid: number };
      expect(pid).toBe(children[replies.indexOf('acquired')]!.pid);
      await repliesTo({});
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});
