import { describe, expect, it } from 'vitest';
import { sharedPostgres } from '../../helpers/postgres.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { seededRandom } from '../../helpers/seed.js';
import { destination, json, simple, track, until } from '../serving.js';
import { rowsOf, sharing, type SharingInstance } from '../store/postgres/sharing.js';

const storeOf = sharedPostgres();

const routingOf = (url: string) => ({
  ...simple(url),
  destinations: [destination('crm', url, { ordered: 'user' })],
});

interface Sent {
  readonly user: string;
  readonly n: number;
}

const sentOf = ({ userId, properties }: Record<string, unknown>): Sent => ({
  user: String(userId),
  n: (properties as Sent).n,
});

let made = 0;
const eventOf = ({ user, n }: Sent): object => ({
  ...track(made++),
  userId: user,
  properties: { n },
});

const eventsOf = (user: string, count: number, from = 0): Sent[] =>
  Array.from({ length: count }, (_, i) => ({ user, n: from + i }));

/** First attempts of each user, in their order. */
function firstAttempts(receiver: Receiver): Record<string, number[]> {
  const byUser: Record<string, number[]> = {};
  for (const { user, n } of receiver.json().map(sentOf)) {
    const seen = (byUser[user] ??= []);
    if (!seen.includes(n)) seen.push(n);
  }
  return byUser;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function isDelivered(instance: SharingInstance): Promise<boolean> {
  const tables = ['event_block', 'queued_block', 'retry_batch', 'user_event'];
  const rows = await Promise.all(tables.map((table) => rowsOf(instance, table)));
  return rows.every(({ length }) => length === 0);
}

describe('instances that share an ordered destination', () => {
  it('send the events of a user one after the other, whichever of them got them', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), routingOf(receiver.url));
    for (let n = 0; n < 40; n++) {
      const users = Array.from({ length: 10 }, (_, i) => eventOf({ user: `u${i}`, n }));
      await all[n % 2]!.send([
        ...users,
        eventOf({ user: 'hot', n: 2 * n }),
        eventOf({ user: 'hot', n: 2 * n + 1 }),
      ]);
    }
    await until(() => isDelivered(all[0]!), Boolean);
    const seen = firstAttempts(receiver);
    expect(seen.hot).toEqual(upTo(80));
    for (let i = 0; i < 10; i++) expect(seen[`u${i}`]).toEqual(upTo(40));
    expect(receiver.requests).toHaveLength(480);
  });

  it('keep the events behind a user who is blocked in the store, and those of others flow', async () => {
    let isBroken = true;
    const receiver: Receiver = await startReceiver((request) => ({
      status: isBroken && JSON.parse(String(request.body)).userId === 'a' ? 500 : 200,
    }));
    const all = await sharing(await storeOf(), routingOf(receiver.url));
    await all[0]!.send([...eventsOf('a', 400), ...eventsOf('b', 20)].map(eventOf));
    await all[1]!.send([...eventsOf('a', 100, 400), ...eventsOf('c', 20)].map(eventOf));
    await until(
      () => Promise.resolve(firstAttempts(receiver)),
      ({ b = [], c = [] }) => b.length + c.length === 40,
    );
    const queues = await until(
      () => Promise.resolve(all[1]!.api('destinations/crm/users')),
      ({ users }) => users[0]?.waiting === 499,
    );
    expect(queues.users[0]).toMatchObject({
      code: 'status_500',
      first: { user: 'a', state: 'retrying' },
    });
    expect(firstAttempts(receiver).a).toEqual([0]);
    isBroken = false;
    await until(() => isDelivered(all[0]!), Boolean);
    expect(firstAttempts(receiver)).toEqual({ a: upTo(500), b: upTo(20), c: upTo(20) });
  });

  it('go on in order when the one that sends stops, and when its lease is lost', async () => {
    const random = seededRandom();
    const ended = new Map<string, number>();
    const overtaken: string[] = [];
    const receiver: Receiver = await startReceiver((request) => {
      const { user, n } = sentOf(JSON.parse(String(request.body)));
      if (n > (ended.get(user) ?? -1) + 1) overtaken.push(`${user} ${n} after ${ended.get(user)}`);
      const draw = random();
      if (draw < 0.02) return { status: 500 };
      ended.set(user, Math.max(n, ended.get(user) ?? -1));
      return { status: draw < 0.05 ? 404 : 200 };
    });
    const all = await sharing(await storeOf(), routingOf(receiver.url), 3, {
      delivery: { retryDelaysMs: [300, 300, 300] },
    });
    const next = new Map<string, number>();
    for (let round = 0; round < 12; round++) {
      const events = Array.from({ length: 60 }, () => {
        const user = random() < 0.3 ? 'hot' : `u${Math.floor(random() * 20)}`;
        const n = next.get(user) ?? 0;
        next.set(user, n + 1);
        return eventOf({ user, n });
      });
      await all[round % 2]!.send(events);
      if (round === 4) await all[0]!.service.reload();
      if (round === 8) await all[2]!.stop();
    }
    // As a server does that has not heard of the one that sends for long.
    const { database, schema } = all[0]!.shared;
    await database.query(
      `UPDATE ${schema}_jobs.job SET state = 'retry', retry_count = retry_count + 1 WHERE state = 'active'`,
    );
    await until(() => isDelivered(all[0]!), Boolean);
    expect(overtaken).toEqual([]);
    expect(Object.fromEntries([...ended].sort())).toEqual(
      Object.fromEntries([...next].sort().map(([user, count]) => [user, count - 1])),
    );
  });

  it('send what waits in any order once the destination is not ordered anymore', async () => {
    let status = 500;
    const receiver: Receiver = await startReceiver((request) => ({
      status: sentOf(JSON.parse(String(request.body))).n === 0 ? status : 200,
    }));
    const [one] = await sharing(await storeOf(), routingOf(receiver.url), 1);
    await one!.send(eventsOf('a', 300).map(eventOf));
    await until(
      () => rowsOf(one!, 'user_event'),
      ({ length }) => length === 300,
    );
    await one!.reroute(simple(receiver.url));
    await receiver.atLeast(300);
    status = 200;
    await until(() => isDelivered(one!), Boolean);
    expect(firstAttempts(receiver).a).toHaveLength(300);
  });
});

it('an event that was redelivered by hand goes behind those that wait', async () => {
  const receiver: Receiver = await startReceiver((request) => ({
    status:
      sentOf(JSON.parse(String(request.body))).n === 0 && receiver.requests.length < 2 ? 404 : 200,
  }));
  const [one] = await sharing(await storeOf(), routingOf(receiver.url), 1);
  await one!.send(eventsOf('a', 3).map(eventOf));
  await until(() => isDelivered(one!), Boolean);
  expect(await one!.api('redeliveries', json('POST', { destination: 'crm' }))).toEqual({
    redelivered: 1,
  });
  await until(() => isDelivered(one!), Boolean);
  expect(receiver.json().map((event) => sentOf(event).n)).toEqual([0, 1, 2, 0]);
});
