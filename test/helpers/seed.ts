import { inject } from 'vitest';
import { seeded } from '../../src/fixtures/random.js';

/** The seed of the whole run, printed at its start: `EVFWD_TEST_SEED`, or a random one. */
export const seed = inject('seed');

/** Random numbers from 0 to below 1 for one test, the same ones under the same seed. */
export function seededRandom(): () => number {
  const random = seeded(seed);
  return () => random.next();
}
