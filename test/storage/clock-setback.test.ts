import { expect, it } from 'vitest';
import { ClockSetback } from '../../src/storage/clock-setback.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const second = 1_000;
const hour = 3_600 * second;

it('a clock that is set back by more than a second is detected until `reset`', () => {
  const clock = new VirtualClock();
  const setback = new ClockSetback(clock);
  clock.advance(hour);
  expect([setback.isSeen, setback.ms]).toEqual([false, 0]);
  clock.set(-second);
  expect([setback.isSeen, setback.ms]).toEqual([false, second]);
  clock.set(-2 * hour);
  expect([setback.isSeen, setback.ms]).toEqual([true, 2 * hour + second]);
  clock.advance(second);
  expect(setback.isSeen).toBe(true);
  setback.reset();
  expect([setback.isSeen, setback.ms]).toEqual([false, 0]);
});

it('a clock that is set forward is not detected, and a later setback is measured from there', () => {
  const clock = new VirtualClock();
  const setback = new ClockSetback(clock);
  clock.set(2 * hour);
  expect(setback.isSeen).toBe(false);
  clock.set(-hour);
  expect([setback.isSeen, setback.ms]).toEqual([true, hour]);
  clock.set(hour);
  expect(setback.isSeen).toBe(false);
});

it('several small setbacks are detected, too', () => {
  const clock = new VirtualClock();
  const setback = new ClockSetback(clock);
  clock.set(-0.6 * second);
  expect(setback.isSeen).toBe(false);
  clock.set(-0.6 * second);
  expect(setback.isSeen).toBe(true);
});
