import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StateError, UsageError } from '../../../../src/errors.js';
import { TextEvent } from '../../../../src/events/text-event.js';
import { SqliteStore } from '../../../../src/serve/store/sqlite/sqlite-store.js';
import type { StoredEvent } from '../../../../src/serve/store/stored.js';
import { openDatabase } from '../../../../src/storage/sqlite.js';
import { folderWith } from '../../../helpers/folder.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { acceptedOf, ids, batchOf, receivedAt, sourceOf } from '../../batches.js';
import { expiryStart, type Route } from '../../../../src/serve/store/service-store.js';

const hour = 3_600_000;

const stores = new Set<SqliteStore>();
afterEach(() => {
  for (const store of stores) store.close();
  stores.clear();
});

async function open(folder = folderWith(), clock = new VirtualClock()) {
  const failures: unknown[] = [];
  const store = await SqliteStore.open(folder, {
    clock,
    onFailure: (error) => failures.push(error),
  });
  stores.add(store);
  return { store, folder, clock, failures };
}

const toCrm: Route = { destinations: ['crm'], skipped: [] };

/** Accepts these events, commits, and returns the stored ones. */
async function take(
  store: SqliteStore,
  messageIds: readonly string[],
  { route = toCrm, source = sourceOf() } = {},
): Promise<StoredEvent[]> {
  const stored: StoredEvent[] = [];
  const routes = messageIds.map(() => route);
  const taken = store.accept(batchOf(messageIds, source), routes, (event) => stored.push(event));
  store.commit();
  await taken;
  return stored;
}

const idsOf = (events: readonly StoredEvent[]): string[] =>
  events.map(({ stamp }) => stamp.messageId);

const idsOfLetters = (store: SqliteStore): string[] =>
  store.views.deadLetters({ limit: 99 }).map(({ messageId }) => messageId);

function countsOf(store: SqliteStore): Record<string, number> {
  return Object.fromEntries(
    store
      .counts()
      .map(({ source, destination, what, count }) => [
        [source, destination, what].filter(Boolean).join(' '),
        count,
      ]),
  );
}

function end(
  store: SqliteStore,
  event: StoredEvent,
  kind: 'delivered' | 'failed',
  destination = 'crm',
) {
  const failure = { code: 'status_404', message: 'no', attempts: 3, lastStatus: 404 };
  const ending = kind === 'failed' ? { kind, failure } : { kind };
  store.end({ event, destination, ending, onCommitted: () => undefined });
}

async function rowsIn(folder: string, table: string): Promise<number> {
  const database = await openDatabase(join(folder, 'serve.db'));
  const count = Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  database.close();
  return count;
}

describe('events of one commit', () => {
  const to = (...destinations: string[]): Route => ({ destinations, skipped: [] });
  const waitingFor = (store: SqliteStore, name: string): string[] =>
    idsOf(store.notAttempted(name, 0, 100));

  it('wait for the destinations of each, also after a restart', async () => {
    const { store, folder, clock } = await open();
    const routes = [to('a'), to('a'), to('b'), to('a', 'b'), to('a', 'b'), to('b', 'a'), to('a')];
    const taken = [
      store.accept(batchOf(ids(4)), routes.slice(0, 4), () => undefined),
      store.accept(batchOf(ids(3, 4)), routes.slice(4), () => undefined),
    ];
    store.commit();
    await Promise.all(taken);
    const expected = { a: ['m0', 'm1', 'm3', 'm4', 'm5', 'm6'], b: ['m2', 'm3', 'm4', 'm5'] };
    for (const at of [store, undefined]) {
      if (!at) store.close();
      const read = at ?? (await open(folder, clock)).store;
      expect({ a: waitingFor(read, 'a'), b: waitingFor(read, 'b') }).toEqual(expected);
      expect([read.length('a').waiting, read.length('b').waiting]).toEqual([6, 4]);
    }
  });

  it('leave nothing behind when the commit fails', async () => {
    const { store, folder } = await open();
    await take(store, ['m0'], { route: to('a') });
    // A rejected call without a message cannot be written: it fails the transaction after its events.
    const broken = { code: 'c', message: null as unknown as string, bytes: Buffer.alloc(0) };
    const batch = batchOf(['m1', 'm2'], sourceOf(), [{ ...broken, isJson: false }]);
    const failed = store.accept(batch, [to('a'), to('a')], () => undefined);
    store.commit();
    await expect(failed).rejects.toThrow(folder);
    await take(store, ['m3', 'm4'], { route: to('b') });
    expect([waitingFor(store, 'a'), waitingFor(store, 'b')]).toEqual([['m0'], ['m3', 'm4']]);
    expect([store.length('a').waiting, store.length('b').waiting]).toEqual([1, 2]);
  });
});

describe('an accepted batch', () => {
  it('is resolved only when it is committed, and present after a restart, byte for byte', async () => {
    const { store, folder, clock } = await open();
    const text =
      '{ "type":"track","userId":"u","event":"E","messageId":"m1","properties":{"n":9007199254740993,"z":-0,"e":1e400} }';
    const { event } = acceptedOf('m1');
    const accepted = [
      {
        event: new TextEvent(Buffer.from(text.trim()), event.type, event.origin),
        stamp: { messageId: 'm1', writesMessageId: false, timestamp: '2026-01-01T00:00:00.000Z' },
      },
    ];
    let isDone = false;
    const done = store
      .accept({ source: sourceOf(), receivedAt, accepted, rejected: [] }, [toCrm], () => undefined)
      .then(() => (isDone = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([isDone, store.notAttempted('crm', 0, 9).length]).toEqual([false, 0]);
    clock.advance(5);
    await done;
    store.close();
    const { store: again } = await open(folder);
    const [found] = again.notAttempted('crm', 0, 9);
    expect(found!.event.bytes.toString()).toBe(text.trim());
    expect(found).toMatchObject({ source: 'web', receivedAt, stamp: accepted[0]!.stamp });
    expect(again.length('crm')).toEqual({ waiting: 1, retrying: 0 });
  });

  it('is committed after 1 ms, together with all received meanwhile', async () => {
    const { store, clock } = await open();
    const all = ['m1', 'm2', 'm3'].map((id) =>
      store.accept(batchOf([id]), [toCrm], () => undefined),
    );
    expect(clock.waits).toEqual([1]);
    clock.advance(1);
    await Promise.all(all);
    expect(idsOf(store.notAttempted('crm', 0, 9))).toEqual(['m1', 'm2', 'm3']);
  });

  it('is committed before the delay has passed when it has 500 rows', async () => {
    const { store } = await open();
    const all = ids(500);
    const done = store.accept(
      batchOf(all),
      all.map(() => toCrm),
      () => undefined,
    );
    await done;
    expect(store.length('crm').waiting).toBe(500);
  });

  it('is stored once for all destinations, and deleted after the last', async () => {
    const { store, folder } = await open();
    const route = { destinations: ['crm', 'erp'], skipped: [] };
    const [event] = await take(store, ['m1'], { route });
    end(store, event!, 'delivered');
    store.commit();
    expect([store.length('crm').waiting, store.length('erp').waiting]).toEqual([0, 1]);
    expect(idsOf(store.notAttempted('erp', 0, 9))).toEqual(['m1']);
    end(store, event!, 'delivered', 'erp');
    store.close();
    expect([await rowsIn(folder, 'event_block'), await rowsIn(folder, 'queued_block')]).toEqual([
      0, 0,
    ]);
  });

  it('has an id that is never reused, also after a restart with an empty queue', async () => {
    const { store, folder } = await open();
    const [, last] = await take(store, ['m1', 'm2']);
    for (const event of store.notAttempted('crm', 0, 9)) end(store, event, 'delivered');
    store.close();
    const { store: again } = await open(folder);
    expect(again.waitingFor()).toEqual([]);
    expect((await take(again, ['m3']))[0]!.id).toBe(last!.id + 1);
  });

  it('that no destination gets is counted, and not kept', async () => {
    const { store, folder } = await open();
    await take(store, ['m1'], { route: { destinations: [], skipped: ['crm'] } });
    await take(store, ['m2'], { route: { destinations: [], skipped: [] } });
    expect(countsOf(store)).toEqual({
      'web received': 2,
      'web crm skipped': 1,
      'web unforwarded': 1,
    });
    store.close();
    expect(await rowsIn(folder, 'event_block')).toBe(0);
  });
});

describe('a messageId that its source has sent within a day', () => {
  it('is accepted once: in one request, in two, and after a restart', async () => {
    const { store, folder, clock } = await open();
    expect(idsOf(await take(store, ['a', 'b', 'a']))).toEqual(['a', 'b']);
    expect(idsOf(await take(store, ['b', 'c']))).toEqual(['c']);
    expect(idsOf(await take(store, ['a'], { source: sourceOf({ name: 'app' }) }))).toEqual(['a']);
    store.close();
    const { store: again } = await open(folder, clock);
    expect(idsOf(await take(again, ['a', 'c', 'd']))).toEqual(['d']);
    expect(countsOf(again)).toMatchObject({ 'web received': 8, 'web repeated': 4 });
    clock.advance(24 * 3_600_000 + 600_000);
    expect(idsOf(await take(again, ['a']))).toEqual(['a']);
  });

  const both: Route = { destinations: ['crm', 'erp'], skipped: [] };
  const none: Route = { destinations: [], skipped: [] };
  const off: Route = { destinations: [], skipped: ['crm'] };

  it.each([none, off])(
    'and that nobody wanted then is taken when it comes again',
    async (route) => {
      const { store } = await open();
      for (let i = 0; i < 2; i++) expect(await take(store, ['m1'], { route })).toEqual([]);
      expect(store.finder.seenAt('web', 'm1')).toBeDefined();
      expect(idsOf(await take(store, ['m1']))).toEqual(['m1']);
      expect(await take(store, ['m1'])).toEqual([]);
      expect(countsOf(store)).toMatchObject({ 'web received': 4, 'web repeated': 1 });
    },
  );

  it('is queued only for destinations that have not had it, and is repeated when there is none', async () => {
    const { store, folder, clock } = await open();
    await take(store, ['m1']);
    const [second] = await take(store, ['m1', 'm1'], { route: both });
    expect(idsOf(store.notAttempted('erp', 0, 9))).toEqual(['m1']);
    expect(store.notAttempted('crm', 0, 9)).toHaveLength(1);
    expect(second!.id).toBe(store.notAttempted('erp', 0, 9)[0]!.id);
    expect(countsOf(store)).toEqual({ 'web received': 3, 'web repeated': 1 });
    store.close();
    const { store: again } = await open(folder, clock);
    expect(await take(again, ['m1'], { route: both })).toEqual([]);
    expect(countsOf(again)).toMatchObject({ 'web repeated': 2 });
  });

  it('is not remembered when generated here, since it cannot be repeated', async () => {
    const { store } = await open();
    const { event, stamp } = acceptedOf('made');
    const accepted = [1, 2].map(() => ({ event, stamp: { ...stamp, writesMessageId: true } }));
    const batch = { source: sourceOf(), receivedAt, accepted, rejected: [] };
    const done = store.accept(batch, [toCrm, toCrm], () => undefined);
    store.commit();
    await done;
    expect(store.length('crm').waiting).toBe(2);
  });

  it('is remembered when derived here, since it can be repeated', async () => {
    const { store } = await open();
    const { event, stamp } = acceptedOf('made');
    const derived = { event, stamp: { ...stamp, writesMessageId: true }, derivesId: true };
    const batch = { source: sourceOf(), receivedAt, accepted: [derived], rejected: [] };
    const done = [1, 2].map(() => store.accept(batch, [toCrm], () => undefined));
    store.commit();
    await Promise.all(done);
    expect(store.length('crm').waiting).toBe(1);
  });
});

describe('a failed event', () => {
  it('is kept with its reason, the newest first, in pages', async () => {
    const { store } = await open();
    for (const event of await take(store, ids(5))) end(store, event, 'failed');
    store.commit();
    const page = store.views.deadLetters({ limit: 2 });
    expect(page.map(({ messageId }) => messageId)).toEqual(['m4', 'm3']);
    expect(page[0]).toMatchObject({
      ...{ destination: 'crm', source: 'web', event: { type: 'track' }, receivedAt },
      ...{ code: 'status_404', message: 'no', attempts: 3, status: 404 },
    });
    const next = store.views.deadLetters({ before: page[1]!.id, limit: 9, of: 'crm' });
    expect(next.map(({ messageId }) => messageId)).toEqual(['m2', 'm1', 'm0']);
    expect(store.views.deadLetters({ limit: 9, of: 'erp' })).toEqual([]);
    expect(store.views.deadLetterIds('crm', 1, 2)).toEqual([2, 3]);
    expect(countsOf(store)).toMatchObject({ 'web crm failed': 5 });
  });

  it('is kept and counted once, however often it ends', async () => {
    const { store } = await open();
    const [event] = await take(store, ['m1']);
    end(store, event!, 'failed');
    end(store, event!, 'failed');
    store.commit();
    end(store, event!, 'failed');
    store.commit();
    expect(store.views.deadLetterCount()).toBe(1);
    expect(countsOf(store)['web crm failed']).toBe(1);
  });

  it('that was delivered in the same commit does not expire', async () => {
    const { store, clock } = await open();
    const stored = await take(store, ['m1', 'm2']);
    clock.advance(8 * 24 * hour);
    end(store, stored[0]!, 'delivered');
    const expired = store.expire({
      ...{ destination: 'crm', from: expiryStart, limit: 9 },
      unused: () => ({ loadedUpTo: 0, keepsRetries: false }),
      onExpired: () => undefined,
    });
    store.commit();
    await expired;
    expect(idsOfLetters(store)).toEqual(['m2']);
    expect(countsOf(store)).toMatchObject({ 'web crm delivered': 1, 'web crm failed': 1 });
  });

  const both: Route = { destinations: ['crm', 'erp'], skipped: [] };

  it('is no repeat where it failed when it is sent again, also after a restart', async () => {
    const { store, folder, clock } = await open();
    const [first] = await take(store, ['m1'], { route: both });
    end(store, first!, 'failed');
    end(store, first!, 'delivered', 'erp');
    store.commit();
    store.close();
    const { store: again } = await open(folder, clock);
    expect(again.finder.seenAt('web', 'm1')).toBeDefined();
    const [second] = await take(again, ['m1'], { route: both });
    expect([again.length('crm').waiting, again.length('erp').waiting]).toEqual([1, 0]);
    // While it waits, it is one.
    expect(await take(again, ['m1'], { route: both })).toEqual([]);
    end(again, second!, 'delivered');
    again.commit();
    expect(await take(again, ['m1'], { route: both })).toEqual([]);
  });

  it('is no repeat in the commit in which it fails, and is one when that is rolled back', async () => {
    const { store, folder, clock } = await open();
    const [first] = await take(store, ['m1']);
    renameSync(store.name, join(folder, 'saved.db'));
    end(store, first!, 'failed');
    const refused = store.accept(batchOf(['m1']), [toCrm], () => undefined);
    store.commit();
    await expect(refused).rejects.toThrow(StateError);
    renameSync(join(folder, 'saved.db'), store.name);
    clock.advance(1_000);
    expect(store.views.deadLetterCount('crm')).toBe(1);
    expect(idsOf(await take(store, ['m1']))).toEqual(['m1']);
  });

  it('is no repeat when it expired, nor when its dead letter was dropped', async () => {
    const { store, clock } = await open();
    await take(store, ['old']);
    // It was sent again in the last day, and that one waits.
    clock.advance(6.5 * 24 * hour);
    await take(store, ['old', 'young']);
    clock.advance(12.5 * hour);
    const expired = store.expire({
      ...{ destination: 'crm', from: expiryStart, limit: 9 },
      unused: () => ({ loadedUpTo: 0, keepsRetries: false }),
      onExpired: () => undefined,
    });
    store.commit();
    await expired;
    expect(idsOfLetters(store)).toEqual(['old']);
    expect(await take(store, ['old', 'young'])).toEqual([]);
    store.keepDeadLetters(1);
    for (const event of store.notAttempted('crm', 0, 9)) end(store, event, 'failed');
    store.commit();
    expect(idsOfLetters(store)).toEqual(['young']);
    expect(idsOf(await take(store, ['old', 'young']))).toEqual(['old', 'young']);
  });

  it('has one dead letter, which goes when it is sent again and delivered', async () => {
    const { store, folder, clock } = await open();
    const fail = async (at: SqliteStore) => {
      const route = both;
      for (const event of await take(at, ['m1', 'm2'], { route })) {
        for (const name of route.destinations) end(at, event, 'failed', name);
      }
      at.commit();
    };
    await fail(store);
    await fail(store);
    expect(idsOfLetters(store).sort()).toEqual(['m1', 'm1', 'm2', 'm2']);
    store.close();
    const { store: again } = await open(folder, clock);
    const [event] = await take(again, ['m1']);
    end(again, event!, 'delivered');
    again.commit();
    const kept = again.views.deadLetters({ limit: 9 });
    expect(kept.map(({ destination, messageId }) => `${destination} ${messageId}`).sort()).toEqual([
      'crm m2',
      'erp m1',
      'erp m2',
    ]);
    expect([again.views.deadLetterCount('crm'), again.views.deadLetterCount()]).toEqual([1, 3]);
  });

  it('is a repeat again while it is redelivered', async () => {
    const { store } = await open();
    const [event] = await take(store, ['m1']);
    end(store, event!, 'failed');
    store.commit();
    const redelivered = store.redeliver(
      [store.views.deadLetters({ limit: 1 })[0]!.id],
      () => undefined,
    );
    store.commit();
    await redelivered;
    expect(await take(store, ['m1'])).toEqual([]);
  });

  it('that cannot be looked for is no failure of what is written with it', async () => {
    const { store, failures } = await open();
    const expired = store.expire({
      ...{ destination: 'crm', from: expiryStart, limit: 9 },
      unused: () => {
        throw new StateError('the state cannot be read');
      },
      onExpired: () => undefined,
    });
    expect(await take(store, ['m1'])).toHaveLength(1);
    await expect(expired).rejects.toThrow('cannot be read');
    expect([failures, store.failure]).toEqual([[], undefined]);
  });

  it('is redelivered as received, once', async () => {
    const { store } = await open();
    const [first] = await take(store, ['m1']);
    end(store, first!, 'failed');
    store.commit();
    const [deadLetter] = store.views.deadLetters({ limit: 1 });
    const offered: [string, readonly string[]][] = [];
    const onStored = ({ stamp }: StoredEvent, to: readonly string[]): void => {
      offered.push([stamp.messageId, to]);
    };
    const counted = store.redeliver([deadLetter!.id, deadLetter!.id, 999], onStored);
    store.commit();
    expect(await counted).toBe(1);
    expect(offered).toEqual([['m1', ['crm']]]);
    expect(store.views.deadLetters({ limit: 1 })).toEqual([]);
    const [again] = store.notAttempted('crm', 0, 9);
    expect([again!.event.bytes, again!.stamp]).toEqual([first!.event.bytes, first!.stamp]);
  });
});

it('a rejected call is kept and counted by its code', async () => {
  const { store } = await open();
  const bytes = Buffer.from('{"type":"trick"}');
  const rejected = [{ code: 'unknown_type', message: 'no such type', bytes, isJson: true }];
  const done = store.accept(batchOf(['m1'], sourceOf(), rejected), [toCrm], () => undefined);
  store.commit();
  await done;
  expect(store.views.rejected({ limit: 9 })).toMatchObject([{ source: 'web', ...rejected[0] }]);
  expect(countsOf(store)).toEqual({ 'web received': 2, 'web rejected:unknown_type': 1 });
});

it('a deletion becomes one event of three members, and is kept', async () => {
  const { store } = await open();
  const timestamp = '2026-01-01T00:00:00Z';
  const deletion = { source: sourceOf(), userId: '"u\\"1"', timestamp, receivedAt };
  const done = store.acceptDeletion(deletion, ['crm', 'erp'], () => undefined);
  store.commit();
  await done;
  expect(store.notAttempted('erp', 0, 9)[0]!.event.bytes.toString()).toBe(
    `{"type":"delete","userId":"u\\"1","timestamp":"${timestamp}"}`,
  );
  expect(store.views.deletions({ limit: 9 })).toMatchObject([
    { source: 'web', userId: '"u\\"1"', timestamp, receivedAt },
  ]);
});

describe('ids with control characters and lone surrogates', () => {
  const odd = [
    'a\u0000b',
    'a\u0000c',
    'a',
    '\ud800',
    '\udbff',
    '\ufffd',
    '"\\\n\u0001\u007f',
    '\u0000',
  ];

  it('stay the same while they wait, as retries, as dead letters, and when they are sent again', async () => {
    const { store, folder, clock } = await open();
    expect(idsOf(await take(store, odd))).toEqual(odd);
    const restart = async (at: SqliteStore) => {
      at.close();
      return (await open(folder, clock)).store;
    };
    const second = await restart(store);
    const queued = second.notAttempted('crm', 0, 99);
    expect(idsOf(queued)).toEqual(odd);
    const retry = {
      dueAt: 5,
      endpointDeliveries: [{ attempts: 1, firstAt: 1, status: 503, error: null }],
    };
    for (const event of queued) {
      const ending = { kind: 'postponed', retry, delayMs: 1, code: 'c', message: 'm' } as const;
      second.end({ event, destination: 'crm', ending, onCommitted: () => undefined });
    }
    const third = await restart(second);
    const retries = third.retries('crm', 99).map(({ id }) => third.retry('crm', id)!);
    expect(idsOf(retries)).toEqual(odd);
    for (const id of odd.slice(0, 2)) {
      const isWanted = ({ messageId }: { messageId: string }) => messageId === id;
      const search = { text: id, isWanted, limit: 9, mayContinue: () => Promise.resolve(true) };
      expect((await third.finder.retries(search)).items).toHaveLength(1);
    }
    expect(await take(third, odd)).toEqual([]);
    for (const event of retries) end(third, event, 'failed');
    const fourth = await restart(third);
    expect(idsOfLetters(fourth).reverse()).toEqual(odd);
    const letters = fourth.views.deadLetters({ limit: 99 }).map(({ id }) => id);
    const again = fourth.redeliver(letters, () => undefined);
    fourth.commit();
    expect(await again).toBe(odd.length);
    expect(idsOf(fourth.notAttempted('crm', 0, 99))).toEqual(odd);
  });
});

it('a retry waits until it is due, with the state of its attempts', async () => {
  const { store, folder } = await open();
  const [one, other] = await take(store, ['m1', 'm2']);
  const endpointDeliveries = [
    { attempts: 2, firstAt: receivedAt, status: 503, error: null, dueAt: 9_000 },
  ];
  const postpone = (event: StoredEvent, dueAt: number): void =>
    store.end({
      ...{ event, destination: 'crm', wasRetrying: false, onCommitted: () => undefined },
      ending: {
        ...{
          kind: 'postponed',
          retry: { dueAt, endpointDeliveries },
          delayMs: 5_000,
        },
        ...{ code: 'status_503', message: 'down' },
      },
    });
  postpone(one!, 9_000);
  postpone(other!, 8_000);
  store.close();
  const { store: again } = await open(folder);
  expect(again.length('crm')).toEqual({ waiting: 2, retrying: 2 });
  expect(again.notAttempted('crm', 0, 9)).toEqual([]);
  expect(again.retries('crm', 9)).toEqual([
    { id: other!.id, dueAt: 8_000 },
    { id: one!.id, dueAt: 9_000 },
  ]);
  expect(again.retry('crm', one!.id)).toMatchObject({
    id: one!.id,
    endpointDeliveries,
    dueAt: 9_000,
  });
});

describe('a state that cannot be written', () => {
  it('rejects all waiting calls; changes without a caller are retried', async () => {
    const { store, folder, clock, failures } = await open();
    const [event] = await take(store, ['m1']);
    const saved = join(folder, 'saved.db');
    renameSync(store.name, saved);
    end(store, event!, 'delivered');
    const all = ['m2', 'm3'].map((id) => store.accept(batchOf([id]), [toCrm], () => undefined));
    store.commit();
    for (const one of all) await expect(one).rejects.toThrow(StateError);
    expect(failures.length).toBeGreaterThan(0);
    expect(store.failure).toMatchObject({ code: 'state_not_written' });
    renameSync(saved, store.name);
    clock.advance(1_000);
    expect([store.failure, store.length('crm').waiting]).toEqual([undefined, 0]);
    // A refused event is not remembered either.
    expect(idsOf(await take(store, ['m2']))).toEqual(['m2']);
    expect(countsOf(store)).toMatchObject({ 'web received': 2, 'web crm delivered': 1 });
  });

  it('is reported when the file was removed', async () => {
    const { store } = await open();
    for (const suffix of ['', '-wal', '-shm']) rmSync(store.name + suffix, { force: true });
    const done = store.accept(batchOf(['m1']), [toCrm], () => undefined);
    store.commit();
    await expect(done).rejects.toThrow(/was removed while the service ran; start it again/);
  });

  it('rejects changes after it was closed', async () => {
    const { store } = await open();
    store.close();
    await expect(store.accept(batchOf(['m1']), [toCrm], () => undefined)).rejects.toThrow(
      StateError,
    );
  });
});

describe('opening', () => {
  it('a folder that cannot be written names another folder and a store as next steps', async () => {
    const folder = join(folderWith({ file: '' }), 'file', 'state');
    await expect(open(folder)).rejects.toThrow(
      `${folder}: the state cannot be written (ENOTDIR); make it writable, choose another place with --state-dir, or use a store (--store, EVFWD_STORE)`,
    );
  });

  it('is limited to one process at a time, and to the owner', async () => {
    const { store, folder } = await open();
    await expect(SqliteStore.open(folder)).rejects.toThrow(
      /a service with the state in .* is running in process \d+; use another --state-dir, or stop it/,
    );
    expect(statSync(store.name).mode & 0o777).toBe(0o600);
  });

  it('refuses a file that is not a database, and one of another version', async () => {
    const folder = folderWith({ 'serve.db': 'x'.repeat(8_192) });
    await expect(SqliteStore.open(folder)).rejects.toThrow(/is damaged/);
    rmSync(join(folder, 'serve.db'));
    const { store } = await open(folder);
    store.close();
    const database = await openDatabase(store.name);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await expect(SqliteStore.open(folder)).rejects.toThrow(UsageError);
    await expect(SqliteStore.open(folder)).rejects.toThrow(/state version 99/);
  });

  it('reports where it cannot write', async () => {
    const folder = folderWith({ file: '' });
    writeFileSync(join(folder, 'file'), '');
    await expect(SqliteStore.open(join(folder, 'file'))).rejects.toThrow(StateError);
  });
});

describe('rows kept for operators', () => {
  it('are counted without dropped and redelivered ones', async () => {
    const folder = folderWith();
    const options = {
      clock: new VirtualClock(),
      maxRows: { deadLetter: 5, rejected: 3, deletion: 3 },
    };
    const store = await SqliteStore.open(folder, options);
    stores.add(store);
    const rejection = { code: 'bad', message: 'no', bytes: Buffer.from('{}'), isJson: true };
    for (let i = 0; i < 8; i++) {
      const [event] = await take(store, [`m${i}`]);
      end(store, event!, 'failed');
      const taken = store.accept(batchOf([], sourceOf(), [rejection]), [], () => undefined);
      store.commit();
      await taken;
    }
    const counted = () => [
      store.views.deadLetterCount(),
      store.views.deadLetterCount('crm'),
      store.views.deadLetterCount('erp'),
      store.views.rejectedCount(),
      store.views.rejectedCount('web'),
    ];
    expect(store.views.deadLetters({ limit: 99 })).toHaveLength(5);
    expect(counted()).toEqual([5, 5, 0, 3, 3]);
    const [deadLetter] = store.views.deadLetters({ limit: 1 });
    const again = store.redeliver([deadLetter!.id], () => undefined);
    store.commit();
    await again;
    expect(counted()).toEqual([4, 4, 0, 3, 3]);
    store.close();
    const reopened = await SqliteStore.open(folder, options);
    stores.add(reopened);
    expect(reopened.views.deadLetterCount('crm')).toBe(4);
    expect(countsOf(reopened)).toMatchObject({ 'web crm dropped': 3 });
    expect(reopened.views.rejectedAfter(0, 99, 2).map(({ id }) => id)).toEqual([7, 8]);
    expect(reopened.views.rejectedAfter(7, 99, 2).map(({ id }) => id)).toEqual([8]);
  });
});

describe('dead letters', () => {
  const dropped: [string, number][] = [];
  async function keeping(deadLetter: number, folder = folderWith()) {
    dropped.length = 0;
    const store = await SqliteStore.open(folder, {
      clock: new VirtualClock(),
      onDropped: (destination, count) => dropped.push([destination, count]),
    });
    stores.add(store);
    store.keepDeadLetters(deadLetter);
    return store;
  }
  async function fail(store: SqliteStore, messageIds: readonly string[], destination = 'crm') {
    const route = { destinations: [destination], skipped: [] };
    for (const event of await take(store, messageIds, { route })) {
      end(store, event, 'failed', destination);
    }
    store.commit();
  }
  const kept = (store: SqliteStore): string[] =>
    store.views.deadLetters({ limit: 9_999 }).map(({ messageId }) => messageId);

  it('are kept up to their limit, however many were redelivered', async () => {
    const store = await keeping(5);
    await fail(store, ids(4));
    for (let round = 0; round < 5; round++) {
      const [deadLetter] = store.views.deadLetters({ limit: 1 });
      const again = store.redeliver([deadLetter!.id], (event) => end(store, event, 'failed'));
      store.commit();
      await again;
      store.commit();
    }
    expect([kept(store).sort(), dropped]).toEqual([ids(4), []]);
  });

  it('are dropped beyond that, the oldest first, which is reported and counted', async () => {
    const store = await keeping(3);
    await fail(store, ids(3), 'erp');
    await fail(store, ids(2, 3));
    expect(kept(store)).toEqual(['m4', 'm3', 'm2']);
    expect(dropped).toEqual([['erp', 2]]);
    expect(countsOf(store)).toMatchObject({ 'web erp dropped': 2, 'web erp failed': 3 });
    expect(store.views.deadLetterCount()).toBe(3);
  });

  it('are dropped when the limit is lowered, a part of them in each transaction', async () => {
    const folder = folderWith();
    const first = await keeping(100_000, folder);
    await fail(first, ids(4_500));
    first.close();
    const store = await keeping(2, folder);
    store.commit();
    expect(dropped).toEqual([['crm', 2_000]]);
    for (let i = 0; i < 3; i++) store.commit();
    expect(dropped.map(([, count]) => count)).toEqual([2_000, 2_000, 498]);
    expect(kept(store)).toEqual(['m4499', 'm4498']);
  });
});

describe('a clock that is set back', () => {
  const postpone = (
    store: SqliteStore,
    clock: VirtualClock,
    event: StoredEvent,
    delayMs: number,
  ) => {
    const dueAt = clock.now() + delayMs;
    const endpointDeliveries = [
      { attempts: 1, firstAt: clock.now(), status: 503, error: null, dueAt },
    ];
    store.end({
      ...{ event, destination: 'crm', wasRetrying: false, onCommitted: () => undefined },
      ending: {
        kind: 'postponed',
        retry: { dueAt, endpointDeliveries },
        delayMs,
        code: 'x',
        message: 'x',
      },
    });
  };
  const dues = (store: SqliteStore, clock: VirtualClock): number[] =>
    store.retries('crm', 9).map(({ dueAt }) => dueAt - clock.now());

  it('moves the times of retries with it', async () => {
    const { store, clock } = await open();
    const [soon, later] = await take(store, ['m1', 'm2']);
    postpone(store, clock, soon!, 5_000);
    postpone(store, clock, later!, hour);
    store.commit();
    clock.advance(1_000);
    clock.set(-2 * hour);
    expect(dues(store, clock)).toEqual([4_000, hour - 1_000]);
    // The clock may be wrong only briefly: the stored state of the attempts is unchanged.
    const firstAt = clock.now() + 2 * hour - 1_000;
    expect(store.retry('crm', soon!.id)).toMatchObject({
      dueAt: clock.now() + 4_000,
      endpointDeliveries: [{ firstAt, dueAt: firstAt + 5_000 }],
    });
    clock.set(3 * hour);
    expect(dues(store, clock)[0]).toBe(4_000 - 3 * hour);
  });

  it('moves them at the next start to their own delay from then', async () => {
    const { store, clock, folder } = await open();
    const [event] = await take(store, ['m1']);
    postpone(store, clock, event!, 5_000);
    store.close();
    const { store: again } = await open(folder, new VirtualClock(clock.now() - 2 * hour));
    expect(again.retries('crm', 9)).toEqual([
      { id: event!.id, dueAt: clock.now() - 2 * hour + 5_000 },
    ]);
  });

  it('moves times of pending changes, and not those of later ones', async () => {
    const { store, clock } = await open();
    const [before, after] = await take(store, ['m1', 'm2']);
    postpone(store, clock, before!, 5_000);
    clock.set(-2 * hour);
    postpone(store, clock, after!, hour);
    store.commit();
    expect(dues(store, clock)).toEqual([5_000, hour]);
  });

  it('is corrected when a failed commit is retried, not by each look-up of retries', async () => {
    const { store, clock, failures } = await open();
    const [event] = await take(store, ['m1']);
    postpone(store, clock, event!, 5_000);
    store.commit();
    renameSync(store.name, `${store.name}.saved`);
    clock.set(-2 * hour);
    for (let i = 0; i < 9; i++) store.retries('crm', 9);
    expect(failures).toHaveLength(1);
    renameSync(`${store.name}.saved`, store.name);
    clock.advance(1_000);
    expect([failures.length, dues(store, clock)]).toEqual([1, [4_000]]);
  });

  it('changes no time of a stored event, now or at the next start', async () => {
    const { store, clock, folder } = await open();
    const arriving = (id: string) => ({ ...batchOf([id]), receivedAt: clock.now() });
    const accept = async (id: string) => {
      const taken = store.accept(arriving(id), [toCrm], () => undefined);
      store.commit();
      await taken;
    };
    await accept('m1');
    clock.advance(hour);
    await accept('m2');
    clock.set(-hour / 2);
    await accept('m3');
    expect(store.notAttempted('crm', 0, 9).map(({ queuedAt }) => queuedAt - clock.now())).toEqual([
      -hour / 2,
      hour / 2,
      0,
    ]);
    const before = store.notAttempted('crm', 0, 9).map(({ queuedAt }) => queuedAt);
    store.close();
    const { store: again } = await open(folder, new VirtualClock(clock.now() - 9 * hour));
    expect(again.notAttempted('crm', 0, 9).map(({ queuedAt }) => queuedAt)).toEqual(before);
  });
});
