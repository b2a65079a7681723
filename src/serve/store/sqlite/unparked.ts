import type { Backlog, Lane } from '../service-store.js';
import type { StoredEvent } from '../stored.js';
import type { EventQueue } from './event-queue.js';

/**
 * A lane that hands out parked events first, whoever they wait for: those of a destination that was ordered before.
 * @param number of the destination
 */
export function withoutOrder(lane: Lane, queue: EventQueue, number: () => number): Lane {
  const { backlog } = lane;
  /** Ids of those that were taken and released. */
  const released: number[] = [];
  const taken = new Set<number>();
  let after = 0;
  const take = (): StoredEvent | undefined => {
    if (queue.users.isEmpty(number())) return undefined;
    for (;;) {
      const id = released.shift() ?? queue.users.parkedAfter(number(), after, 1)[0];
      if (id === undefined) return undefined;
      after = Math.max(after, id);
      const event = queue.parked(number(), id);
      if (!event) continue;
      taken.add(id);
      return event;
    }
  };
  const unparked: Backlog = {
    offer: (event) => backlog.offer(event),
    take: () => take() ?? backlog.take(),
    takeNewest: () => backlog.takeNewest() ?? take(),
    release: (event) => {
      if (taken.delete(event.id)) released.push(event.id);
      else backlog.release(event);
    },
    unload: () => backlog.unload(),
  };
  return {
    ...{ backlog: unparked, retries: lane.retries },
    end: (options) => {
      taken.delete(options.event.id);
      lane.end(options);
    },
    unloadable: (event) => lane.unloadable(event),
    get loadedUpTo() {
      return lane.loadedUpTo;
    },
    close: () => lane.close(),
  };
}
