import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Job } from 'bullmq';
import type { RangeItem } from '../../../../src/importer/queue/item.js';
import { loadQueuePackages } from '../../../../src/importer/queue/packages.js';
import type { QueueServer } from '../../../../src/importer/queue/queue-server.js';
import type { ItemEnd } from '../../../../src/importer/queue/worker/held-item.js';
import type { ItemContext } from '../../../../src/importer/queue/worker/item-context.js';
import { ItemTaker } from '../../../../src/importer/queue/worker/item-taker.js';
import { ExecutionPool } from '../../../../src/importer/workers/execution-pool.js';
import { folderWith } from '../../../helpers/folder.js';
import { planOf } from '../../../helpers/planned-run.js';
import { events } from '../../../helpers/process.js';
import { receiverOfEachTest } from '../../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

/** A taker for a file of so many events, whose server answers each commit as `commit` does. */
function takerOf(count: number, commit: () => Promise<string>) {
  const path = join(folderWith({ 'a.ndjson': events(count) }), 'a.ndjson');
  const problems: string[] = [];
  const ends: (ItemEnd | undefined)[] = [];
  const server = { scheduleRetries: () => Promise.resolve(), commit } as unknown as QueueServer;
  const pool = new ExecutionPool(0);
  const urls = [at.receiver.url];
  const context: ItemContext = {
    ...{
      server,
      urls,
      roots: [],
      concurrency: 4,
      connections: 'all',
      rangeBytes: 65_536,
      log: undefined,
      aheadMs: () => 0,
    },
    record: {
      ...{ id: 'run', plan: planOf([path], urls[0]!), status: 'running', stopReason: null },
      ...{ total: 1, createdAt: 0, endedAt: null },
    },
    settings: {
      ...{ kind: 'webhooks', where: 'the plan', timeoutMs: 5_000, retryWindowMs: 60_000 },
      ...{ endpoints: urls.map((url) => ({ url })), allUrls: false, ca: [] },
      ignoreIntegrations: false,
    },
    start: (options) => pool.start(options),
    onNotice: () => undefined,
    notices: () => [],
    hold: { isHeld: false, added: () => undefined },
  };
  const { bullmq } = loadQueuePackages();
  const taker = new ItemTaker({
    ...{ context, bullmq, onFailure: (error) => problems.push(String(error)) },
    onItem: (_range, end) => ends.push(end),
    onProblem: (_file, message) => problems.push(message),
  });
  const data: RangeItem = { file: 0, from: 0, to: statSync(path).size };
  const job = { id: 'r', data, progress: 0, moveToWait: () => Promise.resolve() };
  const take = (token: string) =>
    taker
      .take('ranges', job as unknown as Job, token, new AbortController().signal)
      .catch((error: unknown) => (error as Error).name);
  return { take, problems, ends };
}

it('fails an item whose outcomes cannot be stored for another reason than the server, by name', async () => {
  const { take, problems, ends } = takerOf(10, () => {
    throw new RangeError('Invalid string length');
  });
  await take('t1');
  expect(problems).toEqual(['unexpected error: Invalid string length']);
  expect(ends).toEqual([undefined, 'failed']);
});

it('stops for an item that it has lost when it gets it again', async () => {
  // A server that does not say that the lock is lost.
  const { take, ends } = takerOf(5_000, () => Promise.resolve('stored'));
  const first = take('t1');
  await at.receiver.atLeast(300);
  await Promise.all([take('t2'), first]);
  expect(ends).toEqual([undefined, 'lost']);
  expect(at.receiver.requests.length).toBeLessThan(5_000);
});
