import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallbackBatch } from '../../src/listen/callback-batch.js';

it('calls all callbacks of a turn together at its end, in their order', async () => {
  const batch = new CallbackBatch();
  const calls: string[] = [];
  batch.add(() => calls.push('one'));
  batch.add(() => calls.push('two'));
  expect(calls).toEqual([]);
  await turn();
  expect(calls).toEqual(['one', 'two']);
});

it('calls what a callback adds at the end of the next turn', async () => {
  const batch = new CallbackBatch();
  const calls: string[] = [];
  batch.add(() => {
    calls.push('one');
    batch.add(() => calls.push('two'));
  });
  await turn();
  expect(calls).toEqual(['one']);
  await turn();
  expect(calls).toEqual(['one', 'two']);
});

it('calls everything at once when it is flushed, and nothing twice', async () => {
  const batch = new CallbackBatch();
  const calls: string[] = [];
  batch.add(() => calls.push('one'));
  batch.flush();
  expect(calls).toEqual(['one']);
  await turn();
  expect(calls).toEqual(['one']);
});
