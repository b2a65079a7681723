import { describe, expect, it } from 'vitest';
import { findPostgres } from '../../../helpers/find-postgres.js';
import { reply, startRawServer } from '../../../helpers/raw-server.js';
import { PostgresServer } from '../../../helpers/postgres.js';
import { folderWithDestinations, peakOf, sendBatches } from '../../../cli/many-destinations.js';
import { running } from '../../../cli/serve-process.js';
import { ServingScene } from '../../../many-machines/serving.js';

const events = 200_000;
const most = 200 * 1024 * 1024;

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
      const count = 500;
      const [endpoint, server] = await Promise.all([
        startRawServer({ response: () => reply(200) }),
        PostgresServer.start(),
      ]);
      const folder = folderWithDestinations(count, endpoint.url, endpoint.url);
      const { child, url } = await running(folder, [], { EVFWD_STORE: server.url });
      await sendBatches(url, 1, 30_000);
      await endpoint.arrived(count * 15);
      expect(peakOf(child.pid!)).toBeLessThan(most);
    },
  );
});
