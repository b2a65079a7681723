import { systemClock, type Clock } from '../../../../src/clock.js';
import { MemoryBudget } from '../../../../src/serve/forward/memory-budget.js';
import { serverClock } from '../../../../src/serve/store/postgres/open-state.js';
import { PostgresStore } from '../../../../src/serve/store/postgres/postgres-store.js';
import type { Ending, Lane } from '../../../../src/serve/store/service-store.js';
import { eventOf, type QueuedEvent } from '../../../../src/serve/store/stored.js';
import type { Accepted, IngestBatch } from '../../../../src/serve/types.js';
import type { SharedStore } from '../../../../src/store/postgres/open.js';
import type { Transaction } from '../../../../src/store/postgres/queries.js';
import { afterEachTest } from '../../../helpers/after-each.js';
import { testStore } from '../../../helpers/shared-store.js';
import type { TestStore } from '../../../helpers/postgres.js';
import { source } from '../../serving.js';

/** A store of an instance without an HTTP server and without senders: a test takes and ends events itself. */
export interface OpenedServiceStore {
  readonly shared: SharedStore;
  readonly store: PostgresStore;
  readonly defects: unknown[];
}

const open: PostgresStore[] = [];

afterEachTest(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});

export async function serviceStore(
  at: TestStore,
  destinations: readonly string[] = ['crm'],
  change: (clock: Clock) => Clock = (clock) => clock,
  onRefresh: () => void = () => undefined,
): Promise<OpenedServiceStore> {
  const { store: shared } = await testStore(at);
  const defects: unknown[] = [];
  const store = new PostgresStore(shared, {
    clock: change(serverClock(shared)),
    onRefresh,
    onDefect: (error) => defects.push(error),
  });
  open.push(store);
  await store.start();
  await store.prepare(['web'], destinations);
  return { shared, store, defects };
}

/** Opens a lane; `taken` resolves to the next event or retry that can be taken. */
export function laneOf(
  store: PostgresStore,
  destination = 'crm',
  onLost: () => void = () => undefined,
): { readonly lane: Lane; readonly taken: () => Promise<QueuedEvent> } {
  let wake: () => void = () => undefined;
  const share = new MemoryBudget().share({
    onRoom: () => undefined,
    onShortage: () => undefined,
  });
  share.noteAttempt(true);
  const lane = store.lane(destination, { share, onMore: () => wake(), onLost });
  const taken = async (): Promise<QueuedEvent> => {
    for (;;) {
      const next = lane.backlog.take() ?? lane.retries.take();
      if (next) return next;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 50);
      });
    }
  };
  return { lane, taken };
}

/** Puts events with these messageIds. */
export function put(
  store: PostgresStore,
  ids: readonly string[],
  { destinations = ['crm'], from = 'web' }: PutOptions = {},
): Promise<void> {
  const accepted = ids.map((messageId): Accepted => {
    const text = `{"type":"track","userId":"u","event":"E","messageId":"${messageId}"}`;
    return {
      event: eventOf(Buffer.from(text), from),
      stamp: { messageId, writesMessageId: false },
    };
  });
  const batch: IngestBatch = {
    source: source(from, { destinations }),
    receivedAt: systemClock.now(),
    accepted,
    rejected: [],
  };
  const routes = ids.map(() => ({ destinations, skipped: [] }));
  return store.accept(batch, routes, () => undefined);
}

interface PutOptions {
  readonly destinations?: readonly string[];
  /** Name of the source. */
  readonly from?: string;
}

export const delivered: Ending = { kind: 'delivered' };

export const failed: Ending = {
  kind: 'failed',
  failure: { code: 'status_404', message: 'refused', attempts: 1, lastStatus: 404 },
};

export function postponed(dueAt: number, delayMs = 0): Ending {
  const firstAt = dueAt - delayMs;
  const endpoint = { attempts: 1, firstAt, status: 500, error: null, dueAt };
  return {
    kind: 'postponed',
    retry: { dueAt, endpointDeliveries: [endpoint] },
    delayMs,
    code: 'status_500',
    message: 'later',
  };
}

/** Ends an event; resolves when reads of the store see that. */
export function ended(lane: Lane, event: QueuedEvent, ending: Ending): Promise<void> {
  return new Promise((resolve) => lane.end({ event, ending, onCommitted: resolve }));
}

/** Calls `around` in place of each transaction from now on, with what begins it. */
export function aroundTransactions(
  { database }: SharedStore,
  around: (begin: () => Promise<unknown>) => Promise<unknown>,
): void {
  const begin = database.transaction.bind(database);
  database.transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    around(() => begin(work)) as Promise<T>;
}
