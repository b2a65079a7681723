import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceStore } from '../../../src/serve/store/service-store.js';
import { searchLog } from '../../../src/serve/store/delivery-log-search.js';
import { DeliveryLog } from '../../../src/serve/store/delivery-log.js';
import { Switches } from '../../../src/serve/switches.js';
import { openDatabase } from '../../../src/storage/sqlite.js';
import { folderWith } from '../../helpers/folder.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { batchOf, sourceOf } from '../batches.js';

/**
 * A state of version 3, made by `evfwd serve` of 20 November 2026 with real requests. The first run
 * (three hours before, under libfaketime) accepted `waits-1` and `waits-2` for an endpoint that hangs,
 * two events for one that responds 404, one event without a name, three that were delivered, and was
 * killed. The second one, with the hanging destination off, got a delivered one again, six more,
 * one for an endpoint that responds 503, one for a destination that was switched off by hand, and a
 * deletion of the user `gone-1`; SIGTERM ended it.
 */
const fixture = new URL('../fixtures/state-3/', import.meta.url);
/** A minute after that. */
const then = 1_795_340_300_000;
const day = 24 * 3_600_000;

const stores: ServiceStore[] = [];
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

async function upgraded(
  change = '',
): Promise<{ store: ServiceStore; folder: string; clock: VirtualClock }> {
  const folder = folderWith();
  cpSync(fixture, folder, { recursive: true });
  const database = await openDatabase(join(folder, 'serve.db'));
  database.exec(change);
  database.close();
  const clock = new VirtualClock(then);
  const store = await ServiceStore.open(folder, { clock });
  stores.push(store);
  return { store, folder, clock };
}

async function take(store: ServiceStore, source: string, destination: string, id: string) {
  const ids: number[] = [];
  const route = [{ destinations: [destination], skipped: [] }];
  const batch = batchOf([id], sourceOf({ name: source }));
  const taken = store.accept(batch, route, (event) => ids.push(event.id));
  store.commit();
  await taken;
  return ids;
}

describe('a state of version 3', () => {
  it('is opened with all waiting events, in their order, with their ages', async () => {
    const { store } = await upgraded();
    const waiting = store.notAttempted('slow', 0, 9);
    expect(waiting.map(({ id, stamp }) => [id, stamp.messageId])).toEqual([
      [1, 'waits-1'],
      [2, 'waits-2'],
    ]);
    expect(waiting[0]!.event.bytes.toString()).toContain('"n":9007199254740992');
    expect(waiting.map(({ queuedAt, receivedAt }) => queuedAt - receivedAt)).toEqual([0, 0]);
    expect(store.retries('down', 9)).toEqual([{ id: 9, dueAt: 1795340244092.562 }]);
    expect(store.retry('down', 9)).toMatchObject({
      stamp: { messageId: 'retries-1' },
      endpointDeliveries: [{ attempts: 1, status: 503, dueAt: 1795340244092.562 }],
    });
    expect(store.waitingFor().sort()).toEqual(['down', 'slow']);
  });

  it('deletes events without a delivery', async () => {
    const { store, folder } = await upgraded(
      `INSERT INTO event SELECT 8, source, received_at, message_id, writes_message_id, timestamp, bytes
         FROM event WHERE id = 1`,
    );
    store.close();
    const database = await openDatabase(join(folder, 'serve.db'));
    const ids = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map(({ id }) => Number(id));
    const found = [
      ids('SELECT last_id AS id FROM event_block ORDER BY id'),
      ids('SELECT last_id AS id FROM queued_block ORDER BY id'),
      ids('SELECT id FROM retry_event'),
      ids('SELECT event AS id FROM retry'),
    ];
    database.close();
    expect(found).toEqual([[1, 2], [1, 2], [9], [9]]);
  });

  it('keeps ids with any characters, and events that wait for several destinations', async () => {
    const id = 'it\'s "q" \\ é\n';
    const stamp = { messageId: id, writesMessageId: true, timestamp: '2026-11-22T09:00:00.000Z' };
    const { store } = await upgraded(
      `UPDATE event SET message_id = 'it''s "q" \\ é' || char(10), writes_message_id = 1,
         timestamp = '${stamp.timestamp}' WHERE id = 1;
       INSERT INTO delivery (event, destination) VALUES (1, 1), (9, 4)`,
    );
    const read = (name: string) => store.notAttempted(name, 0, 9);
    expect(read('crm')).toMatchObject([{ id: 1, stamp, source: 'old' }]);
    expect(read('slow').map((event) => event.id)).toEqual([1, 2, 9]);
    expect(store.retry('down', 9)!.event.bytes).toEqual(read('slow')[2]!.event.bytes);
    expect(['crm', 'slow', 'down'].map((name) => store.length(name))).toEqual([
      { waiting: 1, retrying: 0 },
      { waiting: 3, retrying: 0 },
      { waiting: 1, retrying: 1 },
    ]);
  });

  it('keeps its retry times when the clock was set back by less than the retry window', async () => {
    const { store, folder, clock } = await upgraded();
    store.close();
    const past = new VirtualClock(clock.now() - 3 * 3_600_000);
    const again = await ServiceStore.open(folder, { clock: past });
    stores.push(again);
    expect(again.retries('down', 9)).toEqual([{ id: 9, dueAt: 1795340244092.562 }]);
  });

  it('keeps its dead letters, rejected calls, deletions, counts, switches and its log', async () => {
    const { store, folder, clock } = await upgraded();
    const deadLetters = store.views.deadLetters({ limit: 9 });
    expect(deadLetters.map(({ messageId, code }) => [messageId, code])).toEqual([
      ['refused-2', 'status_404'],
      ['refused-1', 'status_404'],
    ]);
    expect(deadLetters.map(({ response }) => response)).toEqual([undefined, undefined]);
    expect(store.views.rejected({ limit: 9 })).toMatchObject([{ code: 'missing_event' }]);
    expect(store.views.deletions({ limit: 9 })).toMatchObject([
      { userId: '"gone-1"', messageId: undefined },
    ]);
    expect(store.counts()).toContainEqual({
      ...{ source: 'web', destination: 'crm', what: 'delivered', count: 10 },
    });
    const archive = { name: 'archive', isEnabled: true } as never;
    const switches = Switches.open(join(folder, 'switches.json'));
    const applied = switches.apply({ sources: [], destinations: [archive] });
    expect(applied.destinations[0]!.isEnabled).toBe(false);
    const deliveryLog = new DeliveryLog({ folder: join(folder, 'trail'), clock });
    const mayContinue = () => Promise.resolve(true);
    const search = { text: 'delivered-', limit: 99, isWanted: () => true, mayContinue };
    const { entries } = await searchLog(deliveryLog, search);
    expect(entries.map(({ response }) => response)).toEqual(Array(10).fill(null));
  });

  it('remembers its messageIds for their day, and no longer', async () => {
    const { store, clock } = await upgraded();
    expect(await take(store, 'web', 'crm', 'delivered-a')).toEqual([]);
    expect(store.finder.seenAt('web', 'delivered-i')).toBeGreaterThan(then - 20 * 60_000);
    expect(await take(store, 'web', 'crm', 'new')).toHaveLength(1);
    clock.advance(day + 3_600_000);
    expect(await take(store, 'web', 'crm', 'delivered-i')).toHaveLength(1);
    expect(await take(store, 'web', 'crm', 'delivered-i')).toEqual([]);
  });

  it('reuses no id of a waiting or marked event', async () => {
    const { store } = await upgraded();
    expect((await take(store, 'web', 'crm', 'new'))[0]).toBeGreaterThan(9);
    const marked = await upgraded('INSERT INTO mark VALUES (1795340240000, 5000)');
    expect(await take(marked.store, 'web', 'crm', 'new')).toEqual([5001]);
  });

  it('does not expire a redelivered dead letter at once', async () => {
    // As redelivery left it: the id is new, the time of receipt is the old one.
    const { store } = await upgraded(
      `UPDATE event SET received_at = ${then - 30 * day}, id = 20 WHERE id = 2;
       UPDATE delivery SET event = 20 WHERE event = 2`,
    );
    const again = store.notAttempted('slow', 0, 9).find(({ id }) => id === 20);
    expect(again!.queuedAt).toBe(1795340239926);
  });
});
