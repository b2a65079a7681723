import { onTestFailed } from 'vitest';

/** `EVFWD_TEST_SEED` of the environment, or another one in each run. */
const seed = Number(process.env.EVFWD_TEST_SEED ?? Math.floor(Math.random() * 0x1_0000_0000));

/**
 * Random numbers from 0 to below 1 for one test, the same ones under the same `EVFWD_TEST_SEED`. When the
 * test fails, it says how to repeat it.
 */
export function seededRandom(): () => number {
  onTestFailed(() => {
    process.stderr.write(`EVFWD_TEST_SEED=${seed} repeats this\n`);
  });
  return randomFrom(seed);
}

/** The generator mulberry32. */
export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
