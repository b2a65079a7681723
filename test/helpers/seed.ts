import { onTestFailed } from 'vitest';
import { seeded } from '../../src/events/random.js';

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
  const random = seeded(seed);
  return () => random.next();
}
