import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedQueue } from '../../src/delivery/keyed-queue.js';

/** An order of texts like `a1` (user and number), and what has begun. */
function orderOf(maxHeld = Infinity): { begun: string[]; order: KeyedQueue<string>; hold: Hold } {
  const begun: string[] = [];
  const order = new KeyedQueue<string>((item) => begun.push(item), maxHeld);
  const hold = (...items: string[]) => items.map((item) => order.hold(item.charAt(0), item));
  return { begun, order, hold };
}

type Hold = (...items: string[]) => boolean[];

describe('an order', () => {
  it('begins the first event of each user at once, and holds the others', () => {
    const { begun, order, hold } = orderOf();
    expect(hold('a1', 'a2', 'b1', 'a3', 'b2')).toEqual([true, false, true, false, false]);
    expect(begun).toEqual(['a1', 'b1']);
    expect(order.held).toBe(3);
  });

  it("begins a user's next event when the one before it has ended", () => {
    const { begun, order, hold } = orderOf();
    hold('a1', 'a2', 'b1', 'a3', 'b2');
    order.release('a');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    order.release('a');
    order.release('a');
    expect(hold('a4')).toEqual([true]);
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
    expect(order.held).toBe(1);
  });

  it('holds nothing of nobody', () => {
    const { begun, order } = orderOf();
    for (const item of ['1', '2', '3']) expect(order.hold('', item)).toBe(true);
    order.release('');
    order.block('');
    order.hold('', '4');
    expect(begun).toEqual(['1', '2', '3', '4']);
  });

  it('holds the events of a user whose retries wait, until the last has ended', () => {
    const { begun, order, hold } = orderOf();
    order.block('a');
    order.block('a');
    hold('a1', 'b1');
    order.release('a');
    expect(begun).toEqual(['b1']);
    order.release('a');
    expect(begun).toEqual(['b1', 'a1']);
  });

  it('takes releases of users who have nothing under way', () => {
    const { begun, order, hold } = orderOf();
    order.release('a');
    hold('a1', 'a2');
    expect(begun).toEqual(['a1']);
  });

  it('has room again when fewer are held', async () => {
    const { order, hold } = orderOf(2);
    hold('a1', 'a2');
    expect(order.room()).toBeUndefined();
    hold('a3');
    const [one, other] = [order.room(), order.room()];
    expect(one).toBeDefined();
    order.release('a');
    await one;
    await other;
    expect(order.room()).toBeUndefined();
  });

  it('is empty when everything has begun and ended', async () => {
    const { order, hold } = orderOf();
    await order.empty();
    hold('a1', 'a2', 'b1');
    let isEmpty = false;
    const empty = order.empty().then(() => (isEmpty = true));
    for (const user of ['a', 'b']) order.release(user);
    await Promise.resolve();
    expect(isEmpty).toBe(false);
    order.release('a');
    await empty;
    expect(isEmpty).toBe(true);
  });

  it('gives back what has not begun, and never begins it', async () => {
    const { begun, order, hold } = orderOf(3);
    hold('a1', 'a2', 'b1', 'a3', 'b2');
    const room = order.room();
    expect(order.takeHeld()).toEqual(['a2', 'a3', 'b2']);
    await room;
    order.release('a');
    order.release('b');
    await order.empty();
    expect(begun).toEqual(['a1', 'b1']);
    expect(order.held).toBe(0);
  });

  it('begins events in order that end before their beginning returns, however many', () => {
    const begun: number[] = [];
    const order = new KeyedQueue<number>((item) => {
      begun.push(item);
      order.release('a');
    }, Infinity);
    order.block('a');
    for (let i = 0; i < 100_000; i++) order.hold('a', i);
    order.release('a');
    expect(begun).toHaveLength(100_000);
    expect(begun.every((item, i) => item === i)).toBe(true);
    expect(order.hold('a', 100_000)).toBe(true);
  });

  it('runs everything, each user in the order of the input and one at a time', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ user: fc.constantFrom('a', 'b', 'c', ''), endsAtOnce: fc.boolean() }),
        fc.record({ end: fc.nat() }),
      ),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const run = new Run();
        for (const step of all) {
          if ('end' in step) run.end(step.end);
          else run.add(step.user, step.endsAtOnce);
        }
        while (run.underWay.length > 0) run.end(0);
        expect(run.order.held).toBe(0);
        expect(run.maxAtOnce).toBeLessThanOrEqual(1);
        for (const user of ['a', 'b', 'c', ''])
          expect(run.begunOf(user)).toEqual(run.addedOf(user));
      }),
    );
  });
});

interface Item {
  readonly user: string;
  readonly number: number;
  readonly endsAtOnce: boolean;
}

/** Begins items and ends them in any order, and watches that no user has two under way. */
class Run {
  readonly order = new KeyedQueue<Item>((item) => this.#begin(item), Infinity);
  readonly underWay: Item[] = [];
  /** The most that one user (but nobody) has had under way. */
  maxAtOnce = 0;
  readonly #added: Item[] = [];
  readonly #begun: Item[] = [];

  add(user: string, endsAtOnce: boolean): void {
    const item = { user, number: this.#added.length, endsAtOnce };
    this.#added.push(item);
    this.order.hold(user, item);
  }

  end(index: number): void {
    const [item] = this.underWay.splice(index % this.underWay.length, 1);
    if (item) this.order.release(item.user);
  }

  addedOf(user: string): number[] {
    return numbersOf(this.#added, user);
  }

  begunOf(user: string): number[] {
    return numbersOf(this.#begun, user);
  }

  #begin(item: Item): void {
    this.#begun.push(item);
    this.underWay.push(item);
    const { length } = numbersOf(this.underWay, item.user);
    if (item.user !== '') this.maxAtOnce = Math.max(this.maxAtOnce, length);
    if (item.endsAtOnce) this.end(this.underWay.length - 1);
  }
}

function numbersOf(items: readonly Item[], user: string): number[] {
  return items.filter((item) => item.user === user).map(({ number }) => number);
}
