import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemoryBudget } from '../../../src/serve/forward/memory-budget.js';
import type { Lane, LaneUser } from '../../../src/serve/store/service-store.js';
import type { StoredEvent } from '../../../src/serve/store/stored.js';
import { defaultBatch } from '../../../src/webhook/batch-settings.js';
import { sharedPostgres } from '../../helpers/postgres.js';
import { startReceiver } from '../../helpers/receiver.js';
import { destination, simple, track, until } from '../serving.js';
import { aroundTransactions, put, serviceStore } from '../store/postgres/lane-user.js';
import { rowsOf, sharing } from '../store/postgres/sharing.js';

const storeOf = sharedPostgres();

it('an ordered destination goes on when a block is taken away while its end is stored', async () => {
  const receiver = await startReceiver();
  const routing = {
    ...simple(receiver.url),
    destinations: [destination('crm', receiver.url, { ordered: 'user' })],
  };
  const [one] = await sharing(await storeOf(), routing, 1);
  await one!.send([{ ...track(0), userId: 'a' }]);
  await until(
    () => rowsOf(one!, 'queued_block'),
    (rows) => rows.length === 0,
  );
  const { database, schema } = one!.shared;
  let isTaken = false;
  aroundTransactions(one!.shared, async (begin) => {
    if (!isTaken && receiver.requests.length >= 2) {
      isTaken = true;
      await database.query(
        `UPDATE ${schema}_jobs.job SET state = 'retry', retry_count = retry_count + 1
         WHERE state = 'active' AND name LIKE 'events-%'`,
      );
    }
    return begin();
  });
  await one!.send([{ ...track(1), userId: 'a' }]);
  await receiver.atLeast(2);
  await one!.send([{ ...track(2), userId: 'b' }]);
  await until(
    () => rowsOf(one!, 'queued_block'),
    (rows) => rows.length === 0,
  );
  expect(isTaken).toBe(true);
});

it('what is fetched while an ordered lane closes is there for the next one', async () => {
  const { shared, store } = await serviceStore(await storeOf());
  await put(store, ['m1']);
  const first = store.orderedLane('crm', laneUser());
  expect((await taken(first)).stamp.messageId).toBe('m1');
  const { database } = shared;
  const query = database.query.bind(database);
  let second!: Lane;
  const begun = new Promise<StoredEvent>((resolve) => {
    database.query = (async (text: string, ...rest: [unknown[]]) => {
      const rows = await query(text, ...rest);
      // The second block has been fetched: the lane is closed before it has it, and the next one takes the first block.
      if (text.includes('event_block b ON b.id = q.block')) {
        database.query = query;
        await first.close();
        second = store.orderedLane('crm', laneUser());
        resolve(await taken(second));
      }
      return rows;
    }) as typeof database.query;
  });
  await put(store, ['m2']);
  first.backlog.take();
  const event = await begun;
  expect(event.stamp.messageId).toBe('m1');
  second.end({ event, ending: { kind: 'delivered' }, onCommitted: () => undefined });
  expect((await taken(second)).stamp.messageId).toBe('m2');
  await second.close();
});

it('a batch does not wait for blocks that come only when those in it have ended', async () => {
  const receiver = await startReceiver();
  const batch = { ...defaultBatch, size: 100, waitMs: 3_600_000 };
  const routing = {
    ...simple(receiver.url),
    destinations: [destination('crm', receiver.url, { batch })],
  };
  const [one] = await sharing(await storeOf(), routing, 1);
  for (let n = 0; n < 96; n++) await one!.send([{ ...track(n), userId: 'a' }]);
  const received = (): number =>
    (receiver.json() as unknown[][]).reduce((sum, { length }) => sum + length, 0);
  await until(
    () => Promise.resolve(received()),
    (count) => count >= 64,
  );
  expect(receiver.requests.length).toBeLessThan(20);
});

function laneUser(): LaneUser {
  const share = new MemoryBudget().share({ onRoom: () => undefined, onShortage: () => undefined });
  share.noteAttempt(true);
  return { share, onMore: () => undefined, onLost: () => undefined };
}

async function taken(lane: Lane): Promise<StoredEvent> {
  for (;;) {
    const event = lane.backlog.take();
    if (event) return event;
    await sleep(20);
  }
}
