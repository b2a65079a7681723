import { expect, it } from 'vitest';
import { AdaptiveTimeouts } from '../../src/http/adaptive-timeouts.js';
import type { Timed, Timeouts } from '../../src/http/timeouts.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

interface Item extends Timed<Item> {
  limit: Timeouts<Item>;
}

function scene() {
  const clock = new VirtualClock();
  const due: number[] = [];
  // Its owner takes an item out once more when it has come due.
  const onDue = (item: Item): void => {
    due.push(clock.monotonic() - item.since);
    item.limit.delete(item);
  };
  const all = new AdaptiveTimeouts<Item>(100, 1, onDue, clock);
  const add = (): Item => {
    const limit = all.next();
    const item = { since: clock.monotonic(), limit, previous: undefined, next: undefined };
    limit.add(item);
    return item;
  };
  /** Adds one item after the other, and returns how often each limit was reached. */
  const expireInTurn = (count: number): { full: number; brief: number } => {
    due.length = 0;
    for (let i = 0; i < count; i++) {
      add();
      clock.advance(100);
    }
    const brief = due.filter((ms) => ms === 1).length;
    return { full: due.filter((ms) => ms === 100).length, brief };
  };
  return { clock, all, due, add, expireInTurn };
}

it('an item that comes due makes the limit brief for the next 64, then for twice as many', () => {
  const { expireInTurn } = scene();
  expect(expireInTurn(1)).toEqual({ full: 1, brief: 0 });
  expect(expireInTurn(64)).toEqual({ full: 0, brief: 64 });
  expect(expireInTurn(1)).toEqual({ full: 1, brief: 0 });
  expect(expireInTurn(128)).toEqual({ full: 0, brief: 128 });
  expect(expireInTurn(20_000).full).toBeLessThan(10);
});

it('many items that come due together count as one', () => {
  const { add, clock, due, expireInTurn } = scene();
  for (let i = 0; i < 64; i++) add();
  clock.advance(100);
  expect(due.length).toBe(64);
  expect(expireInTurn(65)).toEqual({ full: 1, brief: 64 });
});

it('items that end in time keep the full limit, and restore it', () => {
  const { add, clock, expireInTurn } = scene();
  for (let i = 0; i < 100; i++) {
    const item = add();
    clock.advance(99);
    item.limit.delete(item);
  }
  expect(expireInTurn(66)).toEqual({ full: 2, brief: 64 });
  expireInTurn(128);
  const item = add();
  item.limit.delete(item);
  expect(expireInTurn(66)).toEqual({ full: 2, brief: 64 });
});

it('counts and gives back the items of both limits', () => {
  const { all, add, clock } = scene();
  add();
  clock.advance(100);
  const brief = add();
  expect([all.size, all.takeAll()]).toEqual([1, [brief]]);
  clock.advance(1_000);
  expect(all.size).toBe(0);
});
