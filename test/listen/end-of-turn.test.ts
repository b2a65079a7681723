import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EndOfTurn } from '../../src/listen/end-of-turn.js';

it('calls all callbacks of a turn together at its end, in their order', async () => {
  const end = new EndOfTurn();
  const calls: string[] = [];
  end.add(() => calls.push('one'));
  end.add(() => calls.push('two'));
  expect(calls).toEqual([]);
  await turn();
  expect(calls).toEqual(['one', 'two']);
});

it('calls what a callback adds at the end of the next turn', async () => {
  const end = new EndOfTurn();
  const calls: string[] = [];
  end.add(() => {
    calls.push('one');
    end.add(() => calls.push('two'));
  });
  await turn();
  expect(calls).toEqual(['one']);
  await turn();
  expect(calls).toEqual(['one', 'two']);
});

it('calls everything at once when it is flushed, and nothing twice', async () => {
  const end = new EndOfTurn();
  const calls: string[] = [];
  end.add(() => calls.push('one'));
  end.flush();
  expect(calls).toEqual(['one']);
  await turn();
  expect(calls).toEqual(['one']);
});
