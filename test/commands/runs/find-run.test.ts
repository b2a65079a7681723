import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { RunsContext } from '../../../src/commands/runs/context.js';
import { findRun } from '../../../src/commands/runs/find-run.js';
import type { RunStore } from '../../../src/importer/shared/run-store.js';
import { recordOf } from '../../helpers/run-snapshots.js';

const stream = new PassThrough();
const io = {
  stdin: stream,
  stdout: stream,
  stderr: stream,
  env: {},
  cwd: '/',
  exit: () => undefined,
};

async function found(typed: string, ids: readonly string[]): Promise<string> {
  const records = ids.map((id) => recordOf({ id }));
  const store = { list: () => Promise.resolve(records) } as Partial<RunStore> as RunStore;
  const context: RunsContext = { store, flags: {}, io };
  return (await findRun(context, typed)).id;
}

const ids = ['history-k3f9c02d', 'orders-a1b2c3d4', 'orders-b1b2c3d4'];

describe('finding a run', () => {
  it('takes an id, or a unique beginning of it', async () => {
    expect(await found('orders-a1b2c3d4', ids)).toBe('orders-a1b2c3d4');
    expect(await found('hist', ids)).toBe('history-k3f9c02d');
    expect(await found('orders-b', ids)).toBe('orders-b1b2c3d4');
  });

  it('takes a whole id that is also the beginning of another', async () => {
    expect(await found('a-1', ['a-1', 'a-12'])).toBe('a-1');
  });

  it('names the candidates of an ambiguous beginning, the newest first', async () => {
    await expect(found('ord', ids)).rejects.toMatchObject({
      exitCode: 2,
      message:
        '"ord" is ambiguous: it is the beginning of orders-b1b2c3d4, orders-a1b2c3d4; use more of the id',
    });
    const many = Array.from({ length: 8 }, (_, i) => `a-${i}`);
    await expect(found('a-', many)).rejects.toThrow('a-7, a-6, a-5, a-4, a-3, 3 more;');
  });

  it('suggests the nearest run where none begins so', async () => {
    await expect(found('histroy', ids)).rejects.toMatchObject({
      exitCode: 2,
      message:
        'no run has an id that begins with "histroy" (Did you mean history-k3f9c02d?); evfwd runs lists the ids',
    });
    await expect(found('zzz', [])).rejects.toThrow('begins with "zzz": there are no runs');
  });

  it('does not suggest a run that has nothing in common with it', async () => {
    await expect(found('zzzzzzzz', ids)).rejects.toThrow(
      'no run has an id that begins with "zzzzzzzz"; evfwd runs lists the ids',
    );
  });

  it('refuses an empty id, with which every id begins', async () => {
    await expect(found('', ['history-k3f9c02d'])).rejects.toMatchObject({ exitCode: 2 });
  });

  it('does not repeat what may be a secret', async () => {
    const url = 'redis://:password@host';
    await expect(found(url, ids)).rejects.toThrow(
      /^no run has an id that begins with the argument/,
    );
  });
});
