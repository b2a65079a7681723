import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Backlog } from '../../../src/serve/forward/backlog.js';
import { ServiceStore } from '../../../src/serve/store/service-store.js';
import { folderWith } from '../../helpers/folder.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { ids, batchOf } from '../batches.js';
import { runs } from '../../helpers/property-runs.js';

it('returns each event once and in order, whether from memory or from the store', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('accept' as const), count: fc.integer({ min: 1, max: 400 }) }),
    fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 700 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const store = await ServiceStore.open(folderWith(), { clock: new VirtualClock() });
      const backlog = new Backlog(store, 'crm');
      const taken: string[] = [];
      const take = (count: number): void => {
        for (let i = 0; i < count; i++) {
          const id = backlog.take()?.stamp.messageId;
          if (id === undefined) return;
          taken.push(id);
        }
      };
      let accepted = 0;
      for (const { kind, count } of steps) {
        if (kind === 'take') {
          take(count);
          continue;
        }
        const routes = Array.from({ length: count }, () => ({
          destinations: ['crm'],
          skipped: [],
        }));
        // One is taken as soon as it is offered, before the others of the same commit are.
        const done = store.accept(batchOf(ids(count, accepted)), routes, (event) => {
          backlog.offer(event);
          take(1);
        });
        accepted += count;
        store.commit();
        await done;
      }
      take(Infinity);
      store.close();
      expect(taken).toEqual(ids(accepted));
    }),
    { numRuns: runs(15, 5) },
  );
});
