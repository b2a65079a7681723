import { afterEach, describe, expect, it } from 'vitest';
import { DueRetries } from '../../../../src/serve/store/sqlite/due-retries.js';
import { SqliteStore } from '../../../../src/serve/store/sqlite/sqlite-store.js';
import { folderWith } from '../../../helpers/folder.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { batchOf, ids } from '../../batches.js';

const minute = 60_000;

const stores = new Set<SqliteStore>();
afterEach(() => {
  for (const store of stores) store.close();
  stores.clear();
});

/** The retries of a destination after so many attempts each, one a minute from `firstMs` on. */
async function retriesOf(count: number, { firstMs = minute, attempts = 1 } = {}) {
  const clock = new VirtualClock();
  const store = await SqliteStore.open(folderWith(), { clock });
  stores.add(store);
  const routes = ids(count).map(() => ({ destinations: ['crm'], skipped: [] }));
  let number = 0;
  const taken = store.accept(batchOf(ids(count)), routes, (event) => {
    const delayMs = firstMs + number++ * minute;
    const dueAt = clock.now() + delayMs;
    const state = { attempts, firstAt: clock.now(), dueAt, status: 503, error: null };
    const retry = { dueAt, endpointDeliveries: [state] };
    const ending = {
      kind: 'postponed',
      retry,
      delayMs,
      code: 'status_503',
      message: 'no',
    } as const;
    store.end({ event, destination: 'crm', ending, onCommitted: () => undefined });
  });
  store.commit();
  await taken;
  store.commit();
  return { clock, store, retries: new DueRetries(store, clock, 'crm') };
}

const idOf = (event: { readonly stamp: { readonly messageId: string } } | undefined) =>
  event?.stamp.messageId;

it('the earliest retry is the first one that is not in flight', async () => {
  const { clock, retries } = await retriesOf(4);
  clock.advance(minute);
  expect(idOf(retries.take())).toBe('m0');
  const earliest = [1, 2, 3, 4].map(() => retries.takeEarliest());
  expect(earliest.map(idOf)).toEqual(['m1', 'm2', 'm3', undefined]);
  retries.ended(earliest[1]!.id);
  expect(idOf(retries.takeEarliest())).toBe('m2');
});

it('a retry that was not sent is looked up again, also if no other one waits', async () => {
  const { clock, retries } = await retriesOf(1);
  clock.advance(minute);
  retries.release(retries.take()!);
  expect(retries.take()).toBeUndefined();
  clock.advance(1_000);
  expect(retries.nextAt).toBeLessThanOrEqual(clock.monotonic());
  expect(idOf(retries.take())).toBe('m0');
});

describe('retries that were left at a stop', () => {
  const soon = { firstMs: 1, attempts: 16 };

  it('show a URL as down if those that are due soon have failed as often', async () => {
    const { retries } = await retriesOf(1, soon);
    expect([...retries.outages()]).toEqual([[0, { status: 503, error: null }]]);
  });

  it('do not if they are due later than after an outage: they may have failed for reasons of their own', async () => {
    const { retries } = await retriesOf(1, { ...soon, firstMs: 60 * minute });
    expect([...retries.outages()]).toEqual([]);
  });
});
