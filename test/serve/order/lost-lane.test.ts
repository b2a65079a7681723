import { expect, it } from 'vitest';
import { MemoryBudget } from '../../../src/serve/forward/memory-budget.js';
import { OrderedLane } from '../../../src/serve/order/ordered-lane.js';
import type { Ending, LaneUser, OrderedStoreLane } from '../../../src/serve/store/service-store.js';
import type { StoredEvent } from '../../../src/serve/store/stored.js';
import { acceptedOf } from '../batches.js';

/** Events of one user in the queue of a store whose commits never come. */
function scene() {
  const queue: StoredEvent[] = ['m1', 'm2'].map((messageId, index) => ({
    ...acceptedOf(messageId, { userId: 'u' }),
    ...{ id: index + 1, source: 'web', receivedAt: 0, queuedAt: 0 },
  }));
  let restarts = 0;
  let user!: LaneUser;
  const inner = {
    backlog: { take: () => queue.shift(), release: () => undefined, unload: () => undefined },
    retries: { nextAt: Infinity, take: () => undefined, release: () => undefined },
    end: () => undefined,
    order: { isEmpty: true, usersAfter: () => [], commitNow: () => undefined },
    restart: () => restarts++,
  } as unknown as OrderedStoreLane;
  const share = new MemoryBudget().share({ onRoom: () => undefined, onShortage: () => undefined });
  const lane = new OrderedLane({
    ...{ share, onMore: () => undefined, onLost: () => undefined },
    open: (own) => {
      user = own;
      return inner;
    },
    after: () => () => undefined,
    onFailure: () => undefined,
  });
  const end = (event: StoredEvent): void =>
    lane.end({
      event,
      ending: { kind: 'delivered' } as unknown as Ending,
      onCommitted: () => undefined,
    });
  return { lane, end, lose: () => user.onLost(), restarts: () => restarts };
}

it('a lane that is lost begins anew once nothing is in flight, also where an end is not durable yet', () => {
  const ended = scene();
  ended.end(ended.lane.backlog.take()!);
  ended.lose();
  expect(ended.restarts()).toBe(1);
  const inFlight = scene();
  const event = inFlight.lane.backlog.take()!;
  inFlight.lose();
  expect(inFlight.restarts()).toBe(0);
  expect(inFlight.lane.backlog.take()).toBeUndefined();
  inFlight.end(event);
  expect(inFlight.restarts()).toBe(1);
});
