import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Clock } from '../../../../src/clock.js';
import { MemoryBudget } from '../../../../src/serve/forward/memory-budget.js';
import { userKeyOf } from '../../../../src/serve/user-key.js';
import type { OrderedStoreLane, ServiceStore } from '../../../../src/serve/store/service-store.js';
import { UserEvents } from '../../../../src/serve/store/postgres/user-events.js';
import type { StoredEvent } from '../../../../src/serve/store/stored.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { until } from '../../serving.js';
import { delivered, laneOf, put, serviceStore } from './lane-user.js';
import { rowsOf } from './sharing.js';

const storeOf = sharedPostgres();

const share = () => {
  const made = new MemoryBudget().share({ onRoom: () => undefined, onShortage: () => undefined });
  made.noteAttempt(true);
  return made;
};

/** An ordered lane, which begins anew at once when it is lost, and parks the first event that it takes. */
async function parking(store: ServiceStore) {
  let losses = 0;
  const lane: OrderedStoreLane = store.orderedLane('crm', {
    ...{ share: share(), onMore: () => undefined },
    onLost: () => {
      losses++;
      setImmediate(() => lane.restart());
    },
  });
  let event = lane.backlog.take();
  for (; !event; event = lane.backlog.take()) await sleep(20);
  const user = userKeyOf(event.event)!;
  await new Promise<void>((onCommitted) => {
    lane.order.park({ event, user, behind: 0, onCommitted });
    lane.order.commitNow([event.id]);
  });
  const next = async (): Promise<StoredEvent | undefined> =>
    (await lane.order.next([user])).get(user);
  return { lane, user, event, next, losses: () => losses };
}

/** Keeps timers of a minute until `pass` is called; the others are as they were. */
function minutes(clock: Clock) {
  const waiting = new Set<() => void>();
  const held: Clock = {
    ...clock,
    after: (ms, callback, options) => {
      if (ms !== 60_000) return clock.after(ms, callback, options);
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
  };
  const pass = (): void => {
    for (const callback of [...waiting]) callback();
    waiting.clear();
  };
  return { held, pass };
}

it('a parked event whose outcome cannot be stored is sent again after a minute, not at once', async () => {
  let pass: () => void = () => undefined;
  const { store, defects } = await serviceStore(await storeOf(), ['crm'], (clock) => {
    const made = minutes(clock);
    ({ pass } = made);
    return made.held;
  });
  await put(store, ['m1']);
  const { lane, next, losses } = await parking(store);
  const event = (await next())!;
  // PostgreSQL takes no text with it.
  const failure = { code: 'a\0b', message: '', attempts: 1, lastStatus: null };
  lane.end({ event, ending: { kind: 'failed', failure }, onCommitted: () => undefined });
  await until(() => Promise.resolve(defects.length + losses() >= 2), Boolean);
  for (let asked = 0; asked < 20; asked++) {
    expect((await next())?.id).toBeUndefined();
    await sleep(50);
  }
  pass();
  let again: StoredEvent | undefined;
  while (!(again = await next())) await sleep(50);
  expect(again.id).toBe(event.id);
  await new Promise<void>((onCommitted) =>
    lane.end({ event: again, ending: delivered, onCommitted }),
  );
});

it('what is parked goes on without its order only once the lane that has sent in order is closed', async () => {
  const at = await storeOf();
  const ordered = await serviceStore(at);
  await put(ordered.store, ['m1']);
  const { lane } = await parking(ordered.store);
  let looks = 0;
  const other = await serviceStore(at, ['crm'], undefined, () => looks++);
  const { taken } = laneOf(other.store);
  // It has looked, and could have taken the parked event.
  const before = looks;
  await until(
    () => Promise.resolve(looks),
    (count) => count >= before + 3,
  );
  expect(await rowsOf(other, 'user_event')).toMatchObject([{ body: expect.anything() as Buffer }]);
  await lane.close();
  expect((await taken()).stamp.messageId).toBe('m1');
});

it('an event that another instance has parked while its block is in hand here shows that this one is not the sender', async () => {
  const { store, shared } = await serviceStore(await storeOf());
  await put(store, ['m1', 'm2']);
  let losses = 0;
  const lane = store.orderedLane('crm', {
    ...{ share: share(), onMore: () => undefined, onLost: () => losses++ },
  });
  let first = lane.backlog.take();
  for (; !first; first = lane.backlog.take()) await sleep(20);
  const user = userKeyOf(first.event)!;
  const second = { ...first, id: first.id + 1 };
  const number = store.parts.names.find('destination', 'crm');
  await shared.database.transaction((tx) => {
    new UserEvents(store.parts, number).park(tx, [{ event: second, user, behind: 0 }]);
    tx.send(`UPDATE ${shared.schema}.queued_block SET waiting_count = 1, waiting_bits = '\\x01'`);
    return Promise.resolve();
  });
  expect([await lane.order.next([user]), losses]).toEqual([new Map(), 1]);
  expect(lane.backlog.take()).toBeUndefined();
  lane.restart();
  while (!(first = lane.backlog.take())) await sleep(20);
  expect(first.id).toBe(second.id - 1);
  let next: StoredEvent | undefined;
  while (!(next = (await lane.order.next([user])).get(user))) await sleep(20);
  expect([next.id, losses]).toEqual([second.id, 1]);
});
