import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { reply, startRawServer, type RawRequest } from '../../helpers/raw-server.js';
import { seededRandom } from '../../helpers/seed.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { acceptedOf, destinationOf, receivedAt } from '../batches.js';
import { scene } from '../forward/scene.js';

type Scene = Awaited<ReturnType<typeof scene>>;

const ordered = { ordered: 'user' } as const;

interface Sent {
  readonly user: string;
  readonly n: number;
}

const sentOf = ({ body }: RawRequest): Sent => {
  const { userId, properties } = JSON.parse(body.toString());
  return { user: userId, n: properties.n };
};

/** Accepts events of users, each `<user><n>`. */
async function accept({ forwarder, store, sources }: Scene, events: readonly Sent[], run = '') {
  const accepted = events.map(({ user, n }) =>
    acceptedOf(`${run}${user}-${n}`, { userId: user, properties: { n } }),
  );
  const done = forwarder.accept({ source: sources[0]!, receivedAt, accepted, rejected: [] });
  store.commit();
  await done;
}

const eventsOf = (user: string, count: number, from = 0): Sent[] =>
  Array.from({ length: count }, (_, i) => ({ user, n: from + i }));

/** Goes on by this time in steps; what is on its way on loopback arrives in each. */
async function passes({ clock }: Scene, ms: number, stepMs = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    for (let turn = 0; turn < 12; turn++) await nextTurn();
  }
}

async function until(one: Scene, isDone: () => boolean, stepMs = 100): Promise<void> {
  for (let step = 0; !isDone(); step++) {
    if (step > 20_000) throw new Error('it does not end');
    await passes(one, stepMs, stepMs);
  }
}

const waiting = ({ store }: Scene): number => store.length('crm').waiting;

/** The first attempts of each user, in their order. */
function firstAttempts(requests: readonly RawRequest[]): Map<string, number[]> {
  const byUser = new Map<string, number[]>();
  for (const { user, n } of requests.map(sentOf)) {
    const seen = byUser.get(user) ?? [];
    if (!seen.includes(n)) seen.push(n);
    byUser.set(user, seen);
  }
  return byUser;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('events of one user', () => {
  it('are sent one after the other, and only when the end of the one before is committed', async () => {
    let inFlight = 0;
    let most = 0;
    const server = await startRawServer({
      response: () => (socket) => {
        most = Math.max(most, ++inFlight);
        setImmediate(() => {
          inFlight--;
          socket.write(reply(200));
        });
      },
    });
    const one = await scene([destinationOf(server.url, ordered)]);
    await accept(one, eventsOf('a', 50));
    await until(one, () => waiting(one) === 0);
    expect(server.requests.map(sentOf)).toEqual(eventsOf('a', 50));
    expect(most).toBe(1);
    expect(one.defects).toEqual([]);
  });

  it('wait while the first one is retried, and those of others go on', async () => {
    let isBroken = true;
    const server = await startRawServer({
      response: (request) => reply(isBroken && sentOf(request).user === 'a' ? 500 : 200),
    });
    const one = await scene([destinationOf(server.url, ordered)]);
    await accept(one, [...eventsOf('a', 400), ...eventsOf('b', 30), ...eventsOf('c', 1)]);
    await until(one, () => waiting(one) === 400);
    const users = (): string[] => server.requests.map(sentOf).map(({ user, n }) => `${user}${n}`);
    expect(new Set(users().filter((id) => id.startsWith('a')))).toEqual(new Set(['a0']));
    expect(one.store.views.userQueues('crm', 5)).toMatchObject([
      { waiting: 399, first: { stamp: { messageId: 'a-0' } }, failure: { code: 'status_500' } },
    ]);
    await accept(one, [...eventsOf('a', 5, 400), ...eventsOf('d', 3)]);
    await until(one, () => waiting(one) === 405);
    isBroken = false;
    await until(one, () => waiting(one) === 0);
    expect(firstAttempts(server.requests)).toEqual(
      new Map([
        ['a', upTo(405)],
        ['b', upTo(30)],
        ['c', [0]],
        ['d', upTo(3)],
      ]),
    );
    expect(one.defects).toEqual([]);
  });

  it('go on after a dead letter, which goes behind them when it is sent again', async () => {
    const server = await startRawServer({
      response: (request, index) => reply(index === 0 ? 400 : 200),
    });
    const one = await scene([destinationOf(server.url, ordered)]);
    await accept(one, eventsOf('a', 4));
    await until(one, () => waiting(one) === 0);
    const ids = one.store.views.deadLetterIds('crm', 0, 10);
    const redelivered = one.forwarder.redeliver(ids);
    one.store.commit();
    expect(await redelivered).toBe(1);
    await until(one, () => waiting(one) === 0);
    expect(server.requests.map((request) => sentOf(request).n)).toEqual([0, 1, 2, 3, 0]);
  });

  it('keep their order over a restart, whether they are in flight, parked or to be retried', async () => {
    const clock = new VirtualClock();
    const folder = folderWith();
    let response: string | undefined;
    const server = await startRawServer({ response: () => response });
    const events = [...eventsOf('a', 300), ...eventsOf('b', 300)];
    const first = await scene([destinationOf(server.url, ordered)], { folder, clock });
    await accept(first, events);
    await passes(first, 1_000);
    expect(waiting(first)).toBe(600);
    await first.stop();
    response = reply(500);
    const second = await scene([destinationOf(server.url, ordered)], { folder, clock });
    await passes(second, 20_000);
    expect(waiting(second)).toBe(600);
    await second.stop();
    response = reply(200);
    const third = await scene([destinationOf(server.url, ordered)], { folder, clock });
    await until(third, () => waiting(third) === 0);
    expect(firstAttempts(server.requests)).toEqual(
      new Map([
        ['a', upTo(300)],
        ['b', upTo(300)],
      ]),
    );
    expect(third.store.length('crm')).toEqual({ waiting: 0, retrying: 0 });
    expect(third.defects).toEqual([]);
  });

  it('go in any order once the destination is not ordered anymore', async () => {
    const clock = new VirtualClock();
    const folder = folderWith();
    let status = 500;
    const server = await startRawServer({
      response: (request) => reply(sentOf(request).n === 0 ? status : 200),
    });
    const first = await scene([destinationOf(server.url, ordered)], { folder, clock });
    await accept(first, eventsOf('a', 300));
    await until(first, () => waiting(first) === 300 && server.requests.length > 0);
    await passes(first, 2_000);
    await first.stop();
    const second = await scene([destinationOf(server.url)], { folder, clock });
    await until(second, () => waiting(second) === 1);
    status = 200;
    await until(second, () => waiting(second) === 0);
    expect(second.store.views.userQueues('crm', 5)).toEqual([]);
  });
});

it('an outage is probed by the same few events, and the order of each user is kept after it', async () => {
  let isDown = true;
  const server = await startRawServer({ response: () => reply(isDown ? 503 : 200) });
  const one = await scene([destinationOf(server.url, ordered)]);
  const users = Array.from({ length: 40 }, (_, i) => `u${i}`);
  for (let n = 0; n < 20; n++)
    await accept(
      one,
      users.map((user) => ({ user, n })),
    );
  await passes(one, 10 * 60_000, 1_000);
  const attempted = new Set(server.requests.map((request) => request.body.toString()));
  expect(attempted.size).toBeLessThan(60);
  isDown = false;
  await until(one, () => waiting(one) === 0, 1_000);
  for (const seen of firstAttempts(server.requests).values()) expect(seen).toEqual(upTo(20));
  expect(one.defects).toEqual([]);
});

it('whatever the responses and restarts, each event of a user comes after the one before has ended', async () => {
  const random = seededRandom();
  const clock = new VirtualClock();
  const folder = folderWith();
  /** The highest number of each user that was answered for good. */
  const overtaken: string[] = [];
  const seen = new Map<string, number>();
  const ended = new Map<string, number>();
  const server = await startRawServer({
    response: (request) => {
      const { user, n } = sentOf(request);
      // A repeat of what had ended comes after a stop that lost the end.
      if (n > (ended.get(user) ?? -1) + 1) overtaken.push(`${user} ${n} after ${ended.get(user)}`);
      seen.set(user, Math.max(n, seen.get(user) ?? -1));
      const draw = random();
      if (draw < 0.05) return undefined;
      const status = draw < 0.25 ? 500 : draw < 0.3 ? 404 : draw < 0.32 ? 429 : 200;
      if (status === 200 || status === 404) ended.set(user, Math.max(n, ended.get(user) ?? -1));
      return reply(status, status === 429 ? { 'Retry-After': '2' } : {});
    },
  });
  const next = new Map<string, number>();
  const add = async (one: Scene, count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => {
      const user = random() < 0.3 ? 'hot' : `u${Math.floor(random() * 60)}`;
      const n = next.get(user) ?? 0;
      next.set(user, n + 1);
      return { user, n };
    });
    await accept(one, events);
  };
  const open = (): Promise<Scene> =>
    scene([destinationOf(server.url, ordered)], { folder, clock, delivery: { timeoutMs: 5_000 } });
  let one = await open();
  for (let round = 0; round < 8; round++) {
    await add(one, 150);
    await passes(one, random() * 20_000, 500);
    if (random() < 0.7) {
      await one.stop();
      one = await open();
    }
  }
  await until(one, () => waiting(one) === 0, 1_000);
  expect(overtaken).toEqual([]);
  expect(Object.fromEntries(seen)).toEqual(
    Object.fromEntries([...next].map(([user, count]) => [user, count - 1])),
  );
  expect(one.defects).toEqual([]);
}, 120_000);
