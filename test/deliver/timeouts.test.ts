import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Timeouts } from '../../src/deliver/timeouts.js';

// Only time is made here: the timers and the clock that they are measured by.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function timeouts(afterMs: number) {
  const startedAt = performance.now();
  const due: [item: string, atMs: number][] = [];
  const all = new Timeouts<string>(afterMs, (item) =>
    due.push([item, Math.round(performance.now() - startedAt)]),
  );
  return { all, due, add: (item: string) => all.add(item, performance.now()) };
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
  add('a');
  vi.advanceTimersByTime(40);
  add('b');
  all.delete('a');
  vi.advanceTimersByTime(1_000);
  expect(due).toEqual([['b', 140]]);
});

it('an item added by one that comes due has its own time', () => {
  const due: [string, number][] = [];
  const startedAt = performance.now();
  const all = new Timeouts<string>(100, (item) => {
    due.push([item, Math.round(performance.now() - startedAt)]);
    if (item === 'a') all.add('again', performance.now());
  });
  all.add('a', performance.now());
  vi.advanceTimersByTime(60);
  all.add('b', performance.now());
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
  expect(all.takeAll()).toEqual(['a', 'b']);
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
