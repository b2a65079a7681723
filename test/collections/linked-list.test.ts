import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LinkedList, type Linked } from '../../src/collections/linked-list.js';

interface Item extends Linked<Item> {
  readonly id: number;
}

it('a list keeps the order of a Set, whatever is added and removed', () => {
  const step = fc.tuple(fc.boolean(), fc.nat({ max: 9 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const items = Array.from({ length: 10 }, (_, id): Item => ({
        id,
        previous: undefined,
        next: undefined,
      }));
      const list = new LinkedList<Item>();
      const model = new Set<Item>();
      for (const [adds, id] of steps) {
        const item = items[id]!;
        if (!adds) {
          list.delete(item);
          model.delete(item);
        } else if (!model.has(item)) {
          list.add(item);
          model.add(item);
        }
        expect(list.toArray()).toEqual([...model]);
        expect([list.size, list.first]).toEqual([model.size, [...model][0]]);
      }
      // A removed item refers to nothing.
      const out = items.filter((item) => !model.has(item));
      expect(out.every(({ previous, next }) => !previous && !next)).toBe(true);
    }),
  );
});
