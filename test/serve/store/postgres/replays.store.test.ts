import { describe, expect, it } from 'vitest';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';
import { destination, json, simple, source, track, until } from '../../serving.js';
import { rowsOf, sharing, type SharingInstance } from './sharing.js';

const storeOf = sharedPostgres();
const keep = { retentionMs: 86_400_000, maxBytes: 1024 ** 3, ofDestinations: new Map() };

const batchOf = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => track(from + i));

const nothingWaits = (at: SharingInstance) =>
  until(
    () => rowsOf(at, 'queued_block'),
    (rows) => rows.length === 0,
  );

const replay = async (at: SharingInstance, more: object = {}): Promise<string> => {
  const { id } = await at.api('replays', json('POST', { destination: 'crm', ...more }));
  return id as string;
};

interface Row {
  readonly id: string;
  readonly state: string;
  readonly sent: number;
}

const rowOf = async (at: SharingInstance, id: string): Promise<Row> => {
  const { replays } = (await at.api('replays')) as { replays: Row[] };
  return replays.find((one) => one.id === id)!;
};

const ended = (at: SharingInstance, id: string): Promise<Row> =>
  until(
    () => rowOf(at, id),
    ({ state }) => state !== 'running',
  );

const counted = async (at: SharingInstance, more: object): Promise<number> => {
  const count = await at.api('replays?preview', json('POST', { destination: 'crm', ...more }));
  return (count as { events: number }).events;
};

const replayed = (receiver: Receiver): string[] =>
  receiver.requests
    .filter(({ headers }) => headers['x-evfwd-replay'] !== undefined)
    .map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId);

async function delivered(count: number, instances = 2) {
  const receiver = await startReceiver();
  const routing = { ...simple(receiver.url), keep };
  const all = await sharing(await storeOf(), routing, instances);
  await all[0]!.send(batchOf(0, count));
  await receiver.atLeast(count);
  await nothingWaits(all[0]!);
  return { all, receiver, routing };
}

describe('a replay of instances that share a store', () => {
  it('sends what any of them got, once, and each of them tells how far it is', async () => {
    const { all, receiver } = await delivered(300);
    await all[1]!.send(batchOf(300, 300));
    await receiver.atLeast(600);
    await nothingWaits(all[0]!);
    expect(await counted(all[1]!, {})).toBe(600);
    const id = await replay(all[0]!);
    expect(await ended(all[1]!, id)).toMatchObject({ state: 'finished', sent: 600 });
    await receiver.atLeast(1_200);
    await nothingWaits(all[0]!);
    expect(new Set(replayed(receiver)).size).toBe(600);
    expect(replayed(receiver)).toHaveLength(600);
    expect(receiver.requests.at(-1)!.headers['x-evfwd-replay']).toBe(id);
    expect(await rowsOf(all[0]!, 'replay')).toMatchObject([{ id, sent: 600 }]);
  });

  it('sends what is selected, and by what became of it', async () => {
    let status = 200;
    const receiver = await startReceiver(() => ({ status }));
    const routing = { ...simple(receiver.url), keep };
    const all = await sharing(await storeOf(), routing);
    await all[0]!.send(batchOf(0, 4));
    await receiver.atLeast(4);
    status = 404;
    await all[1]!.send(batchOf(4, 2));
    await until(
      () => all[0]!.api('dead-letters'),
      ({ total }) => total === 2,
    );
    expect(await counted(all[0]!, { state: 'dead' })).toBe(2);
    expect(await counted(all[0]!, { state: 'delivered' })).toBe(4);
    expect(await counted(all[0]!, { users: ['u1', 'u4'] })).toBe(2);
    expect(await counted(all[0]!, { where: ['messageId=m3'] })).toBe(1);
    expect(await counted(all[0]!, { since: '2020-01-01T00:00:00Z' })).toBe(6);
    expect(await counted(all[0]!, { until: '2020-01-01T00:00:00Z' })).toBe(0);
    status = 200;
    const id = await replay(all[1]!, { state: 'dead' });
    await ended(all[0]!, id);
    await until(
      () => all[0]!.api('dead-letters'),
      ({ total }) => total === 0,
    );
    expect(replayed(receiver).sort()).toEqual(['m4', 'm5']);
  });

  it('leaves out what still waits, in its block or for a retry', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const receiver = await startReceiver(async (_request, index) => {
      if (index < 3) return {};
      await answered;
      return { status: 503 };
    });
    const delivery = { retryDelaysMs: [3_600_000] };
    const all = await sharing(await storeOf(), { ...simple(receiver.url), keep }, 2, { delivery });
    await all[0]!.send(batchOf(0, 3));
    await receiver.atLeast(3);
    await nothingWaits(all[0]!);
    await all[0]!.send(batchOf(3, 3));
    await receiver.atLeast(6);
    expect(await rowsOf(all[0]!, 'retry_batch')).toEqual([]);
    expect(await counted(all[1]!, {})).toBe(3);
    answer();
    await nothingWaits(all[0]!);
    expect(await rowsOf(all[0]!, 'retry_batch')).not.toEqual([]);
    expect(await counted(all[1]!, {})).toBe(3);
    expect(await counted(all[1]!, { state: 'delivered' })).toBe(3);
  });

  it('fills a destination that was added later', async () => {
    const { all, receiver, routing } = await delivered(3);
    const added = await startReceiver();
    const more = {
      ...routing,
      sources: [source('web', { destinations: ['crm', 'shop'] })],
      destinations: [...routing.destinations, destination('shop', added.url)],
    };
    for (const { reroute } of all) await reroute(more);
    await replay(all[1]!, { destination: 'shop' });
    await added.atLeast(3);
    expect(receiver.requests).toHaveLength(3);
  });

  it('is stopped by another instance within seconds', async () => {
    const { all, receiver } = await delivered(200);
    const id = await replay(all[0]!, { rate: '20/s' });
    await receiver.atLeast(205);
    const stopped = await all[1]!.api(`replays/${id}`, { method: 'DELETE' });
    expect(stopped).toMatchObject({ id, state: 'stopped' });
    await until(
      () => jobsOf(all[0]!),
      (jobs) => jobs === 0,
    );
    await nothingWaits(all[0]!);
    const { sent } = await rowOf(all[1]!, id);
    expect(sent).toBe((stopped as Row).sent);
    expect(replayed(receiver)).toHaveLength(sent);
    expect(sent).toBeLessThan(200);
  });

  it('goes on at another instance when the one that runs it stops, each event once', async () => {
    const { all, receiver } = await delivered(120);
    const id = await replay(all[0]!, { rate: '60/s' });
    await receiver.atLeast(130);
    await all[0]!.stop();
    expect(await ended(all[1]!, id)).toMatchObject({ state: 'finished', sent: 120 });
    await receiver.atLeast(240);
    await nothingWaits(all[1]!);
    expect(replayed(receiver)).toHaveLength(120);
    expect(new Set(replayed(receiver)).size).toBe(120);
  });

  it('goes on at another instance when the one that runs it loses it without knowing', async () => {
    const { all, receiver } = await delivered(120);
    const id = await replay(all[0]!, { rate: '40/s' });
    await receiver.atLeast(130);
    // As the server does with the job of one that has not been heard of.
    const { database, schema } = all[0]!.shared;
    await database.query(
      `UPDATE ${schema}_jobs.job SET state = 'retry', retry_count = retry_count + 1, start_after = now()
       WHERE name = 'replays'`,
    );
    expect(await ended(all[1]!, id)).toMatchObject({ state: 'finished', sent: 120 });
    await receiver.atLeast(240);
    await nothingWaits(all[1]!);
    expect(replayed(receiver)).toHaveLength(120);
  });

  it('sends nothing of a user whose deletion came after it was read', async () => {
    const { all, receiver } = await delivered(100);
    await all[0]!.send([track(200, { userId: 'gone' })]);
    await receiver.atLeast(101);
    await nothingWaits(all[0]!);
    const id = await replay(all[0]!, { rate: '50/s' });
    await receiver.atLeast(110);
    await all[1]!.api('deletions', json('POST', { userId: 'gone' }));
    await ended(all[1]!, id);
    await nothingWaits(all[1]!);
    expect(replayed(receiver)).not.toContain('m200');
    expect(replayed(receiver)).toHaveLength(100);
  });
});

async function jobsOf({ shared }: SharingInstance): Promise<number> {
  const [row] = await shared.database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${shared.schema}_jobs.job WHERE name = 'replays'`,
  );
  return row!.n;
}
