import { expect, it } from 'vitest';
import { EndpointPause } from '../../src/delivery/endpoint-pause.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const second = 1_000;

it('a pause that was cut is reported again when it is extended', () => {
  const clock = new VirtualClock();
  const told: (number | undefined)[] = [];
  const pause = new EndpointPause({
    ...{ clock, maxPauseMs: 3_600 * second },
    onChange: (untilMs) => told.push(untilMs && untilMs - clock.startedAt),
  });
  pause.extend(60 * second);
  pause.endBy(clock.startedAt + 10 * second);
  expect(pause.extend(10.5 * second)).toBeUndefined();
  expect(pause.extend(30 * second)).toBe(clock.startedAt + 30 * second);
  expect(told).toEqual([60 * second, 10 * second, 30 * second]);
  clock.advance(30 * second);
  expect([told.at(-1), pause.isActive]).toEqual([undefined, false]);
});
