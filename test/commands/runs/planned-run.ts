import { Worker } from 'bullmq';
import { connectQueue } from '../../../src/importer/shared/connect.js';
import type { ItemCommit } from '../../../src/importer/shared/item.js';
import type { Plan } from '../../../src/importer/shared/plan.js';
import { countRanges, rangesOf } from '../../../src/importer/shared/plan-ranges.js';
import type { QueueServer } from '../../../src/importer/shared/queue-server.js';
import { afterEachTest } from '../../helpers/after-each.js';
import type { RedisServer } from '../../helpers/redis-server.js';
import { plan } from '../../helpers/run-snapshots.js';

const open: { close(): Promise<void> }[] = [];

afterEachTest(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

export async function connectTo({ url }: Pick<RedisServer, 'url'>): Promise<QueueServer> {
  const queue = await connectQueue({
    ...{ url, prefix: 'evfwd', requiresDurable: false },
    ...{ onWarning: () => undefined, onTrouble: () => undefined },
  });
  open.push(queue);
  return queue;
}

/** A run whose ranges are all in the queue; returns its id. */
export async function planRun(
  queue: QueueServer,
  name = 'history',
  changes: Partial<Plan> = {},
): Promise<string> {
  const made = { ...plan, ...changes };
  const { id } = await queue.join(name, made, name, false);
  await queue.addRanges(id, new Map(rangesOf(made)));
  await queue.endPlanning(id, countRanges(made));
  return id;
}

/** Takes the next range of a run as a worker does, stores this commit, and completes it or makes it fail. */
export async function workOnRange(
  queue: QueueServer,
  run: string,
  { failure, ...commit }: Partial<Omit<ItemCommit, 'progress'>> & { failure?: string },
): Promise<void> {
  const worker = new Worker(queue.queueName(run, 'ranges'), null, {
    ...{ connection: queue.client, prefix: queue.prefix, skipVersionCheck: true },
  });
  open.push(worker);
  const token = 'token';
  const job = await worker.getNextJob(token);
  const { stats = {}, latency = {}, deadLetters = [], putRetries = new Map() } = commit;
  await queue.commit(
    { run, kind: 'ranges', id: job.id!, token },
    {
      progress: { sequence: 1, last: null, open: [], counts: stats, handedOn: [] },
      ...{ stats, latency, deadLetters, putRetries },
    },
  );
  if (failure === undefined) await job.moveToCompleted(null, token, false);
  else await job.moveToFailed(new Error(failure), token, false);
  await queue.finishIfDone(run);
}
