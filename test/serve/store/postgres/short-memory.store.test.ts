import { describe, expect, it } from 'vitest';
import { serverClock } from '../../../../src/serve/store/postgres/open-state.js';
import { Forwarder } from '../../../../src/serve/forward/forwarder.js';
import { MemoryBudget } from '../../../../src/serve/forward/memory-budget.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver } from '../../../helpers/receiver.js';
import { acceptedOf, batchOf, destinationOf, ids, sourceOf } from '../../batches.js';
import { serviceStore } from './lane-user.js';

const storeOf = sharedPostgres();
const count = 40;
const kb = 1024;
/** A block of 128 events is counted with about 150 KB: far more than this many destinations can have at once. */
const [soft, limit] = [192 * kb, 256 * kb];

describe('where the memory of all destinations is short', () => {
  it.each([
    ['all events arrive', false],
    ['all events arrive at ordered destinations', true],
  ])('%s, and little more than the limit is held', async (_what, ordered) => {
    const receiver = await startReceiver();
    const names = ids(count);
    const { store, shared } = await serviceStore(await storeOf(), names);
    const memory = new MemoryBudget(soft, soft, limit, limit, soft);
    const source = sourceOf({ destinations: names });
    const accepted = ids(256).map((id) => acceptedOf(id, { userId: id }));
    let [held, delivered] = [0, 0];
    let resolve: () => void = () => undefined;
    const arrived = new Promise<void>((done) => (resolve = done));
    const forwarder = new Forwarder({
      store,
      routing: {
        sources: [source],
        destinations: names.map((name) =>
          destinationOf(`${receiver.url}/${name}`, {
            name,
            ...(ordered && { ordered: 'user' as const }),
          }),
        ),
      },
      clock: serverClock(shared),
      memory,
      listener: {
        onForwarding: ({ state }) => {
          held = Math.max(held, memory.heldBytes);
          if (state === 'delivered') delivered++;
          if (delivered === count * accepted.length) resolve();
        },
      },
    });
    await forwarder.accept({ ...batchOf([], source), accepted });
    forwarder.start();
    await arrived;
    expect(held).toBeLessThan(soft + 2 * limit);
    await forwarder.stop(0);
    // What was asked of the store is given back when it answers.
    await expect.poll(() => memory.heldBytes).toBe(0);
  });
});
