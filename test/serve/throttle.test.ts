import { expect, it } from 'vitest';
import { Throttle } from '../../src/serve/throttle.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

it('reports at once after a quiet time, then with a count', () => {
  const clock = new VirtualClock();
  const reported: string[] = [];
  const throttle = new Throttle<string>(clock, 10_000, (last, count) => {
    reported.push(`${last} ${count}`);
  });
  throttle.add('a', 'a1');
  throttle.add('b', 'b1');
  for (let i = 2; i <= 6; i++) throttle.add('a', `a${i}`);
  expect(reported.splice(0)).toEqual(['a1 1', 'b1 1']);
  clock.advance(10_000);
  expect(reported.splice(0)).toEqual(['a6 5']);
  clock.advance(10_000);
  throttle.add('a', 'a7');
  expect(reported).toEqual(['a7 1']);
  throttle.add('a', 'a8');
  throttle.end();
  clock.advance(60_000);
  expect(reported.splice(0)).toEqual(['a7 1', 'a8 1']);
  throttle.add('a', 'a9');
  throttle.add('a', 'a10');
  expect(reported).toEqual(['a9 1', 'a10 1']);
  expect(clock.waits).toEqual([]);
});
