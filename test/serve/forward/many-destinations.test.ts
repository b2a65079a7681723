import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemoryBudget } from '../../../src/serve/forward/memory-budget.js';
import { reply, startRawServer } from '../../helpers/raw-server.js';
import { batchOf, acceptedOf, destinationOf, ids } from '../batches.js';
import { scene } from './scene.js';

const padding = { properties: { text: 'x'.repeat(6_000) } };
/** Of one event: its text and its body, the objects of both, and its request. */
const maxPerEvent = 2 * (6_300 + 1_024) + 24 * 1_024;

it('destinations that hang stay within the memory of all, and a healthy one gets all its events', async () => {
  const hanging = await startRawServer({ response: () => undefined });
  const good = await startRawServer();
  const destinations = [
    ...ids(40).map((name) => destinationOf(`${hanging.url}/${name}`, { name })),
    destinationOf(good.url, { name: 'good' }),
  ];
  const most = 2 * 1024 * 1024;
  const limit = most + destinations.length * maxPerEvent;
  const memory = new MemoryBudget(most / 2, most / 2);
  let held = 0;
  const look = (): void => void (held = Math.max(held, memory.heldBytes));
  const options = { memory, listener: { onForwarding: look, onAttempt: look } };
  const { forwarder, store, sources, clock, folder, stop } = await scene(destinations, options);
  for (let i = 0; i < 10; i++) {
    const accepted = ids(100, i * 100).map((id) => acceptedOf(id, padding));
    const taken = forwarder.accept({ ...batchOf([], sources[0]), accepted });
    store.commit();
    await taken;
    look();
  }
  await good.arrived(1_000);
  look();
  const delivered = good.requests.map(({ body }) => JSON.parse(String(body)).messageId as string);
  expect(new Set(delivered).size).toBe(1_000);
  expect(held).toBeGreaterThan(most / 4);
  expect(held).toBeLessThanOrEqual(limit);
  await stop();
  expect(memory.heldBytes).toBe(0);
  const again = new MemoryBudget(most / 2, most / 2);
  await scene(destinations, { folder, clock, memory: again });
  expect(again.heldBytes).toBeGreaterThan(0);
  expect(again.heldBytes).toBeLessThanOrEqual(limit);
});

it('what hangs at one of two URLs counts, and is given up for it where memory is short', async () => {
  const hanging = await startRawServer({ response: () => undefined });
  const good = await startRawServer();
  const destinations = ids(40).map((name) =>
    destinationOf([`${good.url}/${name}`, `${hanging.url}/${name}`], { name }),
  );
  const most = 1024 * 1024;
  const memory = new MemoryBudget(most, 0);
  let held = 0;
  const look = (): void => void (held = Math.max(held, memory.heldBytes));
  const options = { memory, listener: { onForwarding: look, onAttempt: look } };
  const { forwarder, store, sources, clock } = await scene(destinations, options);
  const accepted = ids(50).map((id) => acceptedOf(id, padding));
  const taken = forwarder.accept({ ...batchOf([], sources[0]), accepted });
  store.commit();
  await taken;
  for (let ms = 0; ms < 4_900; ms += 50) {
    clock.advance(50);
    for (let turn = 0; turn < 12; turn++) await nextTurn();
    store.commit();
  }
  expect(good.requests.length).toBe(40 * 50);
  expect(held).toBeGreaterThan(most / 2);
  // An event has a request to each URL.
  expect(held).toBeLessThanOrEqual(most + destinations.length * (maxPerEvent + 24 * 1_024));
});

it('an event that is dropped from memory while its destination hangs is sent again with the same body, and kept as a dead letter', async () => {
  let answers = false;
  const server = await startRawServer({
    response: () => (answers ? reply(404) : undefined),
  });
  const { forwarder, store, clock, sources, reported } = await scene([destinationOf(server.url)]);
  const accepted = [acceptedOf('m1', padding)];
  const taken = forwarder.accept({ ...batchOf([], sources[0]), accepted });
  store.commit();
  await taken;
  await server.arrived(1);
  clock.advance(5_000);
  await expect.poll(() => reported).toMatchObject([{ verdict: 'retry', error: 'timeout' }]);
  answers = true;
  store.commit();
  await expect
    .poll(() => {
      clock.advance(1_000);
      return reported.length;
    })
    .toBe(2);
  store.commit();
  const [first, second] = server.requests;
  expect(second!.body.equals(first!.body)).toBe(true);
  const redelivered = forwarder.redeliver([store.views.deadLetters({ limit: 1 })[0]!.id]);
  store.commit();
  expect(await redelivered).toBe(1);
  await server.arrived(3);
  expect(server.requests[2]!.body.equals(first!.body)).toBe(true);
});
