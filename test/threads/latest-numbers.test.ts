import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumbersReader, NumbersWriter, sharedNumbers } from '../../src/threads/latest-numbers.js';

function opened(): { writer: NumbersWriter; reader: NumbersReader } {
  const memory = sharedNumbers();
  return { writer: new NumbersWriter(memory), reader: new NumbersReader(memory) };
}

function write(writer: NumbersWriter, value: number): void {
  writer.list.fill(value, 0, 3);
  writer.publish();
}

describe('numbers in shared memory', () => {
  it('are not there before the first are published', () => {
    const { writer, reader } = opened();
    writer.list[0] = 1;
    expect(reader.take()).toBeUndefined();
  });

  it('are taken once, and only the newest', () => {
    const { writer, reader } = opened();
    write(writer, 1);
    write(writer, 2);
    expect(reader.take()?.slice(0, 3)).toEqual(Float64Array.of(2, 2, 2));
    expect(reader.take()).toBeUndefined();
  });

  it('stay as they were taken while the next ones are written', () => {
    const step = fc.constantFrom('write', 'take');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { writer, reader } = opened();
        let written = 0;
        let known = 0;
        let taken: Float64Array | undefined;
        for (const name of steps) {
          if (name === 'write') write(writer, ++written);
          else {
            const list = reader.take();
            expect(list?.[0]).toBe(written > known ? written : undefined);
            known = written;
            taken = list ?? taken;
          }
          if (taken)
            expect(taken.slice(0, 3)).toEqual(new Float64Array(3).fill(known || taken[0]!));
        }
      }),
    );
  });

  it('are whole and never older than before when another thread writes without a pause', async () => {
    const memory = sharedNumbers();
    const lists = 200_000;
    const thread = new Worker(writerProgram, { eval: true, workerData: { memory, lists } });
    const reader = new NumbersReader(memory);
    let newest = 0;
    let torn = 0;
    const look = (): void => {
      const list = reader.take();
      if (!list) return;
      const value = list[0]!;
      if (value < newest || list.subarray(0, 64).some((other) => other !== value)) torn++;
      newest = value;
    };
    await new Promise<void>((resolve) => {
      const turn = (): void => {
        for (let i = 0; i < 500; i++) look();
        if (newest === lists) resolve();
        else setImmediate(turn);
      };
      turn();
    });
    await thread.terminate();
    expect(torn).toBe(0);
  });
});

/** The writing side in plain JavaScript, with the layout of the memory: three lists, then one word. */
const writerProgram = `
const { workerData } = require('node:worker_threads');
const { memory, lists } = workerData;
const bytes = (memory.byteLength - 4) / 3;
const slots = [0, 1, 2].map((i) => new Float64Array(memory, i * bytes, bytes / 8));
const word = new Int32Array(memory, 3 * bytes, 1);
let mine = 1;
for (let value = 1; value <= lists; value++) {
  slots[mine].fill(value, 0, 64);
  mine = Atomics.exchange(word, 0, mine | 4) & 3;
}
`;
