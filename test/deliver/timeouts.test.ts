import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Timeouts, type Timed } from '../../src/deliver/timeouts.js';

// Only time is made here: the timers and the clock that they are measured by.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

interface Item extends Timed<Item> {
  readonly name: string;
}

function itemOf(name: string): Item {
  return { name, since: performance.now(), previous: undefined, next: undefined };
}

function timeouts(afterMs: number) {
  const startedAt = performance.now();
  const due: [item: string, atMs: number][] = [];
  const all = new Timeouts<Item>(afterMs, ({ name }) =>
    due.push([name, Math.round(performance.now() - startedAt)]),
  );
  const add = (name: string): Item => {
    const item = itemOf(name);
    all.add(item);
    return item;
  };
  return { all, due, add };
}

it('each item comes due after its own time, and only once', () => {
  const { all, due, add } = timeouts(100);
  add('a');
  vi.advanceTimersByTime(30);
  add('b');
  add('c');
  vi.advanceTimersByTime(1_000);
  add('d');
  vi.advanceTimersByTime(99);
  expect([due, all.size]).toEqual([
    [
      ['a', 100],
      ['b', 130],
      ['c', 130],
    ],
    1,
  ]);
  vi.advanceTimersByTime(1);
  expect(due.at(-1)).toEqual(['d', 1_130]);
});

it('what was taken out does not come due, and moves nothing else', () => {
  const { all, due, add } = timeouts(100);
  const first = add('a');
  vi.advanceTimersByTime(40);
  add('b');
  all.delete(first);
  all.delete(first);
  vi.advanceTimersByTime(1_000);
  expect(due).toEqual([['b', 140]]);
});

it('an item added by one that comes due has its own time', () => {
  const due: [string, number][] = [];
  const startedAt = performance.now();
  const all = new Timeouts<Item>(100, ({ name }) => {
    due.push([name, Math.round(performance.now() - startedAt)]);
    if (name === 'a') all.add(itemOf('again'));
  });
  all.add(itemOf('a'));
  vi.advanceTimersByTime(60);
  all.add(itemOf('b'));
  vi.advanceTimersByTime(1_000);
  expect(due).toEqual([
    ['a', 100],
    ['b', 160],
    ['again', 200],
  ]);
});

it('all that is left can be taken, in order, and leaves no timer behind', () => {
  const { all, due, add } = timeouts(100);
  add('a');
  add('b');
  expect(all.takeAll().map(({ name }) => name)).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(due).toEqual([]);
});

it('one timer serves all of them', () => {
  const { add } = timeouts(100);
  for (let i = 0; i < 50; i++) {
    add(String(i));
    vi.advanceTimersByTime(1);
  }
  expect(vi.getTimerCount()).toBe(1);
});
