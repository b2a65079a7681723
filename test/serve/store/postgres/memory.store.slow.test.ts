import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findPostgres } from '../../../helpers/find-postgres.js';
import { ServingScene } from '../../../many-machines/serving.js';

const events = 200_000;

describe.skipIf(findPostgres() === undefined)('memory of instances that share a store', () => {
  it(
    'stays below 200 MB while many events wait for an endpoint that is down',
    { timeout: 400_000 },
    async () => {
      const scene = await ServingScene.open(1, () => ({ status: 503 }));
      await scene.load(events / 50);
      const { pid } = scene.instances[0]!.child;
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const peakMb = Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
      expect(peakMb).toBeLessThan(200);
      const [row] = await scene.server.sql<{ n: string }>(
        `SELECT (SELECT sum(waiting_count) FROM evfwd.queued_block)
         + (SELECT coalesce(sum(size), 0) FROM evfwd.retry_batch) AS n`,
      );
      expect(Number(row!.n)).toBe(events);
    },
  );
});
