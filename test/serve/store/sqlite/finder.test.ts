import { afterEach, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../../../src/serve/store/sqlite/sqlite-store.js';
import type { StoredEvent } from '../../../../src/serve/store/stored.js';
import type { Accepted } from '../../../../src/serve/types.js';
import { folderWith } from '../../../helpers/folder.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { acceptedOf, ids, receivedAt, sourceOf } from '../../batches.js';

const stores: SqliteStore[] = [];
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

async function storeWith(accepted: readonly Accepted[], destinations: readonly string[] = ['crm']) {
  const store = await SqliteStore.open(folderWith(), { clock: new VirtualClock() });
  stores.push(store);
  const stored: StoredEvent[] = [];
  const routes = accepted.map(() => ({ destinations, skipped: [] }));
  const batch = { source: sourceOf(), receivedAt, accepted, rejected: [] };
  const done = store.accept(batch, routes, (event) => stored.push(event));
  store.commit();
  await done;
  return { store, stored };
}

const unlimited = {
  ...{ limit: 1_000, isWanted: () => true },
  mayContinue: () => Promise.resolve(true),
};

function endOf(store: SqliteStore, event: StoredEvent, destination: string): void {
  const ending = { kind: 'delivered' as const };
  store.end({ event, destination, ending, onCommitted: () => undefined });
  store.commit();
}

function postpone(store: SqliteStore, event: StoredEvent, destination: string): void {
  const endpointDeliveries = [{ attempts: 1, firstAt: 1, status: 503, error: null }];
  const retry = { dueAt: 5_000, endpointDeliveries };
  const why = { delayMs: 5_000, code: 'status_503', message: 'HTTP 503' };
  const ending = { kind: 'postponed' as const, retry, ...why };
  store.end({ event, destination, ending, onCommitted: () => undefined });
  store.commit();
}

async function queuedFor(store: SqliteStore, text: string, more = {}) {
  const { items, isComplete } = await store.finder.notAttempted({ ...unlimited, text, ...more });
  const found = items.map(({ messageId, destination }) => `${messageId} ${destination}`);
  return { found, isComplete };
}

describe('a search for queued events', () => {
  it.each([
    ['an id', 'ID-1', ['Id-1 crm']],
    ['an id with characters that JSON escapes', '"Q" \\', ['a "q" \\ é crm']],
    ['letters beyond ASCII in their case', 'é', ['a "q" \\ é crm']],
    ['other letters than those', 'É', []],
    ['a text of the event', 'größe', ['Id-2 crm']],
    ['a part of several', 'id-', ['Id-2 crm', 'Id-1 crm']],
    ['a text across two events', '}{', []],
    ['a wildcard of SQL', '%', []],
  ])('finds %s, the newest first', async (_what, text, expected) => {
    const { store } = await storeWith([
      acceptedOf('Id-1'),
      acceptedOf('Id-2', { event: 'Größe' }),
      acceptedOf('a "q" \\ é'),
    ]);
    expect(await queuedFor(store, text)).toEqual({ found: expected, isComplete: true });
  });

  it('lists an event only for destinations without an attempt, and its retries apart', async () => {
    const { store, stored } = await storeWith(
      [acceptedOf('m1'), acceptedOf('m2')],
      ['a', 'b', 'c'],
    );
    endOf(store, stored[0]!, 'a');
    postpone(store, stored[0]!, 'b');
    const { found } = await queuedFor(store, 'm1');
    expect(found).toEqual(['m1 c']);
    const retries = await store.finder.retries({ ...unlimited, text: 'M1' });
    expect(retries.items).toMatchObject([
      { messageId: 'm1', destination: 'b', nextAt: 5_000, attempts: 1, status: 503 },
    ]);
  });

  it('goes through many blocks, and stops at its limit or when it is told to', async () => {
    const { store } = await storeWith(ids(5_000).map((id) => acceptedOf(id)));
    expect((await queuedFor(store, 'm7')).found).toHaveLength(111);
    expect(await queuedFor(store, 'm', { limit: 2 })).toEqual({
      ...{ found: ['m4999 crm', 'm4998 crm'], isComplete: false },
    });
    const none = { mayContinue: () => Promise.resolve(false) };
    expect(await queuedFor(store, 'm0', none)).toMatchObject({ found: [], isComplete: false });
  });
});

it('a search reads at most about 1 MiB at once, and keeps no texts', async () => {
  const store = await SqliteStore.open(folderWith(), { clock: new VirtualClock() });
  stores.push(store);
  const bytes = Buffer.alloc(700_000, 'a');
  const rejected = Array.from({ length: 8 }, () => {
    return { code: 'invalid', message: 'is invalid', bytes, isJson: false };
  });
  const batch = { source: sourceOf(), receivedAt, accepted: [], rejected };
  const done = store.accept(batch, [], () => undefined);
  store.commit();
  await done;
  let steps = 1;
  const mayContinue = (): Promise<boolean> => Promise.resolve(steps++ > 0);
  const { items } = await store.finder.rejected({ ...unlimited, text: 'aaa', mayContinue });
  expect(items.map(({ bytes: { length } }) => length)).toEqual(Array(8).fill(32_768));
  expect(steps).toBeGreaterThanOrEqual(4);
});
