import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Tail } from '../../../../pages/listen/receive/tail.js';

it('is a list that is added to at one end and dropped from at the other', () => {
  const step = fc.oneof(
    fc.record({ push: fc.integer() }),
    fc.record({ drop: fc.integer({ min: 0, max: 5 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const tail = new Tail<number>();
      let model: number[] = [];
      for (const action of steps) {
        if ('push' in action) {
          tail.push(action.push);
          model.push(action.push);
        } else {
          tail.drop(action.drop);
          model = model.slice(action.drop);
        }
        expect(tail.toArray()).toEqual(model);
        expect(tail.length).toBe(model.length);
        expect(tail.at(0)).toBe(model[0]);
        expect(tail.at(model.length - 1)).toBe(model.at(-1));
        expect(tail.at(-1)).toBeUndefined();
        expect(tail.at(model.length)).toBeUndefined();
      }
    }),
  );
});
