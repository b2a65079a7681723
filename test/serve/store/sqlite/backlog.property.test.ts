import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryBudget } from '../../../../src/serve/forward/memory-budget.js';
import { SqliteStore } from '../../../../src/serve/store/sqlite/sqlite-store.js';
import type { StoredEvent } from '../../../../src/serve/store/stored.js';
import { folderWith } from '../../../helpers/folder.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { ids, batchOf } from '../../batches.js';
import { runs } from '../../../helpers/property-runs.js';
import { SqliteBacklog } from '../../../../src/serve/store/sqlite/backlog.js';

it('returns each event once and in order, whether from memory or from the store', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('accept' as const), count: fc.integer({ min: 1, max: 400 }) }),
    fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 700 }) }),
    fc.record({ kind: fc.constant('release' as const), count: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('unload' as const), count: fc.constant(0) }),
  );
  const memory = fc.constantFrom(0, 20_000, 1_000_000);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 10 }),
      memory,
      async (steps, most) => {
        const store = await SqliteStore.open(folderWith(), { clock: new VirtualClock() });
        const share = new MemoryBudget(most, 0).share({
          onRoom: () => undefined,
          onShortage: () => undefined,
        });
        share.noteAttempt(most > 0);
        const backlog = new SqliteBacklog(store, 'crm', share);
        const taken: StoredEvent[] = [];
        const take = (count: number): void => {
          for (let i = 0; i < count; i++) {
            const event = backlog.take();
            if (!event) return;
            taken.push(event);
          }
        };
        let accepted = 0;
        for (const { kind, count } of steps) {
          if (kind === 'take') take(count);
          else if (kind === 'unload') backlog.unload();
          else if (kind === 'release') for (const e of taken.splice(-count)) backlog.release(e);
          if (kind !== 'accept') continue;
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
        expect(taken.map(({ stamp }) => stamp.messageId)).toEqual(ids(accepted));
        expect(share.heldBytes).toBe(0);
      },
    ),
    { numRuns: runs(15, 5) },
  );
});
