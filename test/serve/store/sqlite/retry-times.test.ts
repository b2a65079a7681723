import { expect, it } from 'vitest';
import { RetryTimes } from '../../../../src/serve/store/sqlite/retry-times.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';

it('a clock that is set back while a transaction is written is corrected by the next one', () => {
  const clock = new VirtualClock();
  const moved: unknown[] = [];
  const connection = { run: (_sql: string, backMs: number) => moved.push(backMs) };
  const times = new RetryTimes(connection as never, clock);
  expect(times.isSetBack).toBe(false);
  clock.set(-3_600_000);
  // It has begun before.
  times.committed();
  expect(times.isSetBack).toBe(true);
  times.correct();
  times.rolledBack();
  times.committed();
  expect(times.isSetBack).toBe(true);
  times.correct();
  times.committed();
  expect([times.isSetBack, moved]).toEqual([false, [3_600_000, 3_600_000]]);
});
