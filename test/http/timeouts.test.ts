import { expect, it } from 'vitest';
import { Timeouts, type Timed } from '../../src/http/timeouts.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

interface Item extends Timed<Item> {
  readonly name: string;
}

function timeouts(afterMs: number, onDue: (item: Item) => void = () => undefined) {
  const clock = new VirtualClock();
  const due: [item: string, atMs: number][] = [];
  const note = (item: Item): void => {
    due.push([item.name, clock.elapsedMs]);
    onDue(item);
  };
  const all = new Timeouts<Item>(afterMs, note, clock);
  const add = (name: string): Item => {
    const item = { name, since: clock.monotonic(), previous: undefined, next: undefined };
    all.add(item);
    return item;
  };
  return { all, clock, due, add };
}

it('each item comes due after its own time, and only once', () => {
  const { all, clock, due, add } = timeouts(100);
  add('a');
  clock.advance(30);
  add('b');
  add('c');
  clock.advance(1_000);
  add('d');
  clock.advance(99);
  expect([due, all.size]).toEqual([
    [
      ['a', 100],
      ['b', 130],
      ['c', 130],
    ],
    1,
  ]);
  clock.advance(1);
  expect(due.at(-1)).toEqual(['d', 1_130]);
});

it('what was taken out does not come due, and moves nothing else', () => {
  const { all, clock, due, add } = timeouts(100);
  const first = add('a');
  clock.advance(40);
  add('b');
  all.delete(first);
  all.delete(first);
  clock.advance(1_000);
  expect(due).toEqual([['b', 140]]);
});

it('an item added by one that comes due has its own time', () => {
  const { clock, due, add } = timeouts(100, ({ name }) => {
    if (name === 'a') add('again');
  });
  add('a');
  clock.advance(60);
  add('b');
  clock.advance(1_000);
  expect(due).toEqual([
    ['a', 100],
    ['b', 160],
    ['again', 200],
  ]);
});

it.each([-3_600_000, 3_600_000])('none is moved by a time of day that is set %i ms off', (ms) => {
  const { clock, due, add } = timeouts(100);
  add('a');
  clock.advance(40);
  clock.set(ms);
  add('b');
  clock.advance(1_000);
  expect(due).toEqual([
    ['a', 100],
    ['b', 140],
  ]);
});

it('a handler that throws keeps no other item from coming due, and its error is thrown', () => {
  const { clock, due, add } = timeouts(100, ({ name }) => {
    if (name.startsWith('bad')) throw new Error(name);
  });
  add('bad');
  add('a');
  clock.advance(60);
  add('b');
  expect(() => clock.advance(40)).toThrow(/^bad$/);
  clock.advance(60);
  add('bad1');
  add('bad2');
  expect(() => clock.advance(100)).toThrow(AggregateError);
  expect(due).toEqual([
    ['bad', 100],
    ['a', 100],
    ['b', 160],
    ['bad1', 260],
    ['bad2', 260],
  ]);
  expect(clock.backgroundWaits).toEqual([]);
});

it('all that is left can be taken, in order, and leaves no timer behind', () => {
  const { all, clock, due, add } = timeouts(100);
  add('a');
  add('b');
  expect(all.takeAll().map(({ name }) => name)).toEqual(['a', 'b']);
  expect(clock.backgroundWaits).toEqual([]);
  clock.advance(1_000);
  expect(due).toEqual([]);
});

it('one timer serves all of them, and keeps no process alive', () => {
  const { clock, add } = timeouts(100);
  for (let i = 0; i < 50; i++) {
    add(String(i));
    clock.advance(1);
  }
  expect([clock.backgroundWaits, clock.waits]).toEqual([[50], []]);
});
