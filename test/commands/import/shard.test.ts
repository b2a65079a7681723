import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flag } from '../../../src/commands/flags/flag.js';
import { parseShard, resolveShard, withShard } from '../../../src/commands/import/shard.js';
import { threadsFor } from '../../../src/commands/import/thread-count.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { event } from '../../helpers/process.js';

const url = ['--url', 'http://127.0.0.1:9/hook'];
const file = (): string => join(folderWith({ e: `${event(1)}\n` }), 'e');

const shardOf = (env: NodeJS.ProcessEnv) => resolveShard({ shard: 'auto' }, env);

describe('--shard', () => {
  it('is counted from 1', () => {
    expect(parseShard('2/8')).toEqual({ index: 1, count: 8 });
    expect(parseShard('1/1')).toEqual({ index: 0, count: 1 });
    expect(parseShard('auto')).toBe('auto');
  });

  it.each([
    '0/3',
    '4/3',
    'a/b',
    '1/0',
    '2',
    '',
    '1/',
    '/2',
    '-1/2',
    '1.5/2',
    '1/2/3',
    ' 1/2',
    '1/1e3',
    '1/99999999999999999999',
    'AUTO',
  ])('refuses "%s" with exit code 2', async (text) => {
    const { code, stderr, stdout } = await inProcess(['import', file(), ...url, `--shard=${text}`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--shard');
    expect(stderr).toContain('e.g. 2/8');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['--limit', '5'],
    ['--speed', '10x'],
  ])('refuses %s, and names both', async (flag, value) => {
    const args = ['import', file(), ...url, '--shard', '1/2', flag, value];
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`${flag} .*--shard`));
  });

  it.each([[['-']], [[]]])('refuses standard input: %j', async (files) => {
    const args = ['import', ...files, ...url, '--shard', '1/2'];
    const { code, stderr } = await inProcess(args, { stdin: `${event(1)}\n` });
    expect(code).toBe(2);
    expect(stderr).toMatch(/standard input \(-\) .*--shard/);
  });
});

describe('--shard auto', () => {
  it('counts as Kubernetes and as CI services do', () => {
    expect(shardOf({ JOB_COMPLETION_INDEX: '0', JOB_COMPLETIONS: '3' })).toEqual({
      index: 0,
      count: 3,
    });
    expect(shardOf({ CI_NODE_INDEX: '3', CI_NODE_TOTAL: '3' })).toEqual({ index: 2, count: 3 });
  });

  it('prefers the pair of Kubernetes; an empty variable is none', () => {
    const ci = { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' };
    const job = { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: '3' };
    expect(shardOf({ ...ci, ...job })).toEqual({ index: 2, count: 3 });
    expect(shardOf({ ...ci, JOB_COMPLETION_INDEX: '', JOB_COMPLETIONS: '' })).toEqual({
      index: 0,
      count: 2,
    });
  });

  it.each([
    [{}, 'JOB_COMPLETION_INDEX and JOB_COMPLETIONS, nor CI_NODE_INDEX and CI_NODE_TOTAL'],
    [{ JOB_COMPLETION_INDEX: '0' }, 'JOB_COMPLETION_INDEX is set, but JOB_COMPLETIONS is not'],
    [
      { JOB_COMPLETIONS: '2', CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' },
      'JOB_COMPLETION_INDEX is not',
    ],
    [{ CI_NODE_INDEX: '1' }, 'CI_NODE_INDEX is set, but CI_NODE_TOTAL is not'],
    [{ CI_NODE_TOTAL: '1' }, 'CI_NODE_TOTAL is set, but CI_NODE_INDEX is not'],
    [{ JOB_COMPLETION_INDEX: '3', JOB_COMPLETIONS: '3' }, 'from 0 to JOB_COMPLETIONS - 1'],
    [{ CI_NODE_INDEX: '0', CI_NODE_TOTAL: '3' }, 'from 1 to CI_NODE_TOTAL'],
    [{ CI_NODE_INDEX: '4', CI_NODE_TOTAL: '3' }, 'from 1 to CI_NODE_TOTAL'],
    [{ CI_NODE_INDEX: 'x', CI_NODE_TOTAL: '3' }, 'CI_NODE_INDEX "x"'],
    [{ CI_NODE_INDEX: '1', CI_NODE_TOTAL: '0' }, 'CI_NODE_TOTAL "0"'],
    [{ CI_NODE_INDEX: '1', CI_NODE_TOTAL: '1\u001b[2J' }, 'CI_NODE_TOTAL'],
  ])('refuses an environment without a whole pair: %j', async (env, message) => {
    const { code, stderr } = await inProcess(['import', file(), ...url, '--shard', 'auto'], {
      env,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('\u001b');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('is printed as the shard that it was, for a shell without these variables', () => {
    const typed = [
      { flag: flag('--shard <i/n>', ''), value: 'auto' },
      { flag: flag('--rate <rate>', ''), value: '50/s' },
    ];
    expect(withShard(typed, { index: 1, count: 8 })).toEqual([
      { ...typed[0], value: '2/8' },
      typed[1],
    ]);
  });
});

describe('the threads of a shard', () => {
  it('depend on its own bytes', () => {
    const question = {
      inputs: [{ isFile: true, size: 16 * 1024 * 1024 }],
      flags: { concurrency: 64 },
      settings: { kind: 'webhooks', endpoints: [] } as never,
      schedule: undefined,
      transform: undefined,
    };
    const share = (count: number) =>
      ({ kind: 'blocks', first: 0, count, blockBytes: 256 * 1024 }) as const;
    expect(threadsFor(question, 8)).toBe(4);
    expect(threadsFor({ ...question, shares: [share(2)] }, 8)).toBe(2);
    expect(threadsFor({ ...question, shares: [share(4)] }, 8)).toBe(0);
  });
});
