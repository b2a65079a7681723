import { expect, it } from 'vitest';
import { writeInBatch } from '../../src/http/write-batch.js';

/** Notes names in the order in which they are written; `then` runs with the first. */
function writers(then: () => void = () => undefined) {
  const written: string[] = [];
  const ask = (name: string): void => {
    const write = (): void => {
      if (written.push(name) === 1) then();
    };
    writeInBatch({ write });
  };
  return { written, ask };
}

it('writers write together, in their order, when the code that asked is through', async () => {
  const { written, ask } = writers();
  ask('a');
  ask('b');
  expect(written).toEqual([]);
  await Promise.resolve();
  expect(written).toEqual(['a', 'b']);
});

it('writers write before anything else can happen from outside', async () => {
  const { written, ask } = writers();
  const next = new Promise<readonly string[]>((resolve) =>
    setImmediate(() => resolve([...written])),
  );
  await Promise.resolve();
  ask('a');
  expect(await next).toEqual(['a']);
});

it('a writer that asks while others write has its turn after them', async () => {
  const { written, ask } = writers(() => ask('late'));
  ask('a');
  ask('b');
  await Promise.resolve();
  await Promise.resolve();
  expect(written).toEqual(['a', 'b', 'late']);
});
