import { describe, expect, it } from 'vitest';
import { findPostgres } from '../../../helpers/find-postgres.js';
import { reply, startRawServer } from '../../../helpers/raw-server.js';
import { PostgresServer } from '../../../helpers/postgres.js';
import {
  folderWithDestinations,
  peakOf,
  sendBatch,
  sendBatches,
} from '../../../cli/many-destinations.js';
import { running } from '../../../cli/serve-process.js';
import { ServingScene } from '../../../many-machines/serving.js';

const events = 200_000;
const most = 200 * 1024 * 1024;

/** An instance with `count` destinations at one endpoint. */
async function withDestinations(count: number) {
  const [endpoint, server] = await Promise.all([
    startRawServer({ response: () => reply(200) }),
    PostgresServer.start(),
  ]);
  const folder = folderWithDestinations(count, endpoint.url, endpoint.url);
  const instance = await running(folder, [], { EVFWD_STORE: server.url });
  return { endpoint, child: instance.child, url: instance.url };
}

describe.skipIf(findPostgres() === undefined)('memory of instances that share a store', () => {
  it(
    'stays below 200 MB while many events wait for an endpoint that is down',
    { timeout: 400_000 },
    async () => {
      const scene = await ServingScene.open(1, () => ({ status: 503 }));
      await scene.load(events / 50);
      expect(peakOf(scene.instances[0]!.child.pid!)).toBeLessThan(most);
      const [row] = await scene.server.sql<{ n: string }>(
        `SELECT (SELECT sum(waiting_count) FROM evfwd.queued_block)
         + (SELECT coalesce(sum(size), 0) FROM evfwd.retry_batch) AS n`,
      );
      expect(Number(row!.n)).toBe(events);
    },
  );

  it(
    'stays below 200 MB with 500 destinations and events of 30 KB, all of which arrive',
    { timeout: 400_000 },
    async () => {
      const { endpoint, child, url } = await withDestinations(500);
      await sendBatches(url, 1, 30_000);
      await endpoint.arrived(500 * 15);
      expect(peakOf(child.pid!)).toBeLessThan(most);
    },
  );

  it.each([
    ['one client sends', 1],
    ['8 clients send', 8],
  ])(
    'stays below 200 MB while %s batches of 120 events for 500 destinations',
    { timeout: 400_000 },
    async (_, clients) => {
      const batches = 8;
      const { child, url } = await withDestinations(500);
      const send = async (client: number): Promise<void> => {
        for (let i = client; i < batches; i += clients) {
          await sendBatch(url, { size: 120, bytes: 200, ids: `m${i}` });
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, client) => send(client)));
      expect(peakOf(child.pid!)).toBeLessThan(most);
    },
  );
});
