import { Forwarder } from '../../../src/serve/forward/forwarder.js';
import type { DeliveryOptions, ForwardingListener } from '../../../src/serve/forward/sender.js';
import type { MemoryBudget } from '../../../src/serve/forward/memory-budget.js';
import type { EventRecord } from '../../../src/serve/event-record.js';
import { SqliteStore } from '../../../src/serve/store/sqlite/sqlite-store.js';
import type { Destination, Routing, Source } from '../../../src/serve/types.js';
import { afterEachTest } from '../../helpers/after-each.js';
import { folderWith } from '../../helpers/folder.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { batchOf, sourceOf } from '../batches.js';

const open: { forwarder: Forwarder; store: SqliteStore; clock: VirtualClock }[] = [];
afterEachTest(async () => {
  for (const one of [...open]) await stopAtOnce(one);
});

/** Does not wait for what is in flight. */
async function stopAtOnce(one: (typeof open)[number]): Promise<void> {
  open.splice(open.indexOf(one), 1);
  const stopped = one.forwarder.stop(0);
  one.clock.advance(0);
  await stopped;
  one.store.close();
}

interface SceneOptions {
  readonly folder?: string;
  readonly clock?: VirtualClock;
  readonly delivery?: DeliveryOptions;
  readonly sources?: readonly Source[];
  readonly starts?: boolean;
  readonly memory?: MemoryBudget;
  readonly listener?: Partial<ForwardingListener>;
}

/** A forwarder with its store and a clock; both are closed after the test. */
export async function scene(destinations: readonly Destination[], options: SceneOptions = {}) {
  const { folder = folderWith(), clock = new VirtualClock(), starts = true } = options;
  const damaged: [destination: string, events: number][] = [];
  const failures: unknown[] = [];
  const store = await SqliteStore.open(folder, {
    clock,
    onDamaged: (destination, events) => damaged.push([destination, events]),
    onFailure: (error) => {
      failures.push(error);
      forwarder.noteFailure();
    },
  });
  const sources = options.sources ?? [sourceOf({ destinations: destinations.map((d) => d.name) })];
  const routing: Routing = { sources, destinations };
  const reported: EventRecord[] = [];
  const defects: string[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  const forwarder: Forwarder = new Forwarder({
    store,
    routing,
    clock,
    delivery: { random: () => 0.5, ...options.delivery },
    ...(options.memory && { memory: options.memory }),
    listener: {
      onForwarding: (forwarding) => {
        reported.push(forwarding);
        for (const { count, resolve } of waiters) if (reported.length >= count) resolve();
        options.listener?.onForwarding?.(forwarding);
      },
      onAttempt: (...attempt) => options.listener?.onAttempt?.(...attempt),
      onDefect: (error) => defects.push(String(error)),
      onFailure: (error) => failures.push(error),
    },
  });
  const opened = { forwarder, store, clock };
  open.push(opened);
  if (starts) forwarder.start();
  /** Resolves when this many results were reported. */
  const endings = (count: number): Promise<void> =>
    new Promise((resolve) => {
      if (reported.length >= count) resolve();
      else waiters.push({ count, resolve });
    });
  const take = async (messageIds: readonly string[], source = sources[0]!): Promise<void> => {
    const taken = forwarder.accept(batchOf(messageIds, source));
    store.commit();
    await taken;
  };
  const stop = (): Promise<void> => stopAtOnce(opened);
  return {
    store,
    forwarder,
    clock,
    folder,
    reported,
    defects,
    damaged,
    failures,
    endings,
    take,
    stop,
    routing,
    sources,
  };
}
