import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Queue } from '../../src/collections/queue.js';

it('a queue behaves like an array, for any pushes, shifts and clearings', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), count: fc.nat(3_000) }),
    fc.record({ kind: fc.constant('shift' as const), count: fc.nat(3_000) }),
    fc.record({ kind: fc.constant('takeAll' as const), count: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const queue = new Queue<number>();
      let model: number[] = [];
      let next = 0;
      for (const { kind, count } of steps) {
        if (kind === 'takeAll') {
          expect(queue.takeAll()).toEqual(model);
          model = [];
        }
        for (let i = 0; i < count; i++) {
          if (kind === 'push') {
            queue.push(next);
            model.push(next++);
          } else if (queue.shift() !== model[i]) {
            expect.unreachable('the order differs');
          }
        }
        if (kind === 'shift') model = model.slice(count);
        expect(queue.size).toBe(model.length);
      }
      expect(queue.takeAll()).toEqual(model);
    }),
    { numRuns: 50 },
  );
});
