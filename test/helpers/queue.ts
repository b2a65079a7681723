import type { Worker } from 'bullmq';
import { connectQueue, type ConnectQueueOptions } from '../../src/importer/shared/connect.js';
import type { QueueTrouble } from '../../src/importer/shared/connect.js';
import type { ItemCommit, ItemKind } from '../../src/importer/shared/item.js';
import { loadQueuePackages } from '../../src/importer/shared/packages.js';
import { rangesOf } from '../../src/importer/shared/plan-ranges.js';
import type { Plan, PlannedFile } from '../../src/importer/shared/plan.js';
import type { QueueServer } from '../../src/importer/shared/queue-server.js';
import type { RunRecord } from '../../src/importer/shared/run-record.js';
import { afterEachTest } from './after-each.js';
import { planWith, webhookTo } from './planned-run.js';
import type { RedisServer } from './redis-server.js';

/** A connection of a test, and what it said. */
export interface TestQueue {
  readonly queue: QueueServer;
  readonly warnings: string[];
  readonly troubles: QueueTrouble[];
}

const open: QueueServer[] = [];
const workers: Worker[] = [];

afterEachTest(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close(true)));
  await Promise.all(open.splice(0).map((queue) => queue.close()));
});

/** Connects as a command does; closed after the test. */
export async function testQueue(
  { url }: Pick<RedisServer, 'url'>,
  options: Partial<ConnectQueueOptions> = {},
): Promise<TestQueue> {
  const warnings: string[] = [];
  const troubles: QueueTrouble[] = [];
  const queue = await connectQueue({
    url,
    prefix: 'evfwd',
    requiresDurable: false,
    onWarning: (line) => warnings.push(line),
    onTrouble: (trouble) => troubles.push(trouble),
    ...options,
  });
  open.push(queue);
  return { queue, warnings, troubles };
}

/** A plan of files that need not exist; each 20 MB, which is three ranges. */
export function testPlan(files: readonly Partial<PlannedFile>[] = [{}], rest = {}): Plan {
  const planned = files.map((file, index) => ({
    ...{ path: `/data/${index}.ndjson`, size: 20_000_000 },
    ...{ modifiedMs: 1_700_000_000_000, isWhole: false },
    ...file,
  }));
  return planWith(planned, webhookTo(['https://example.com/']), rest);
}

/** A run whose ranges are all in the queue. */
export async function plannedRun(queue: QueueServer, plan = testPlan()): Promise<RunRecord> {
  const run = await queue.join(`identity-${Math.random()}`, plan, 'history', false);
  const ranges = new Map(rangesOf(plan));
  await queue.addRanges(run.id, ranges);
  await queue.endPlanning(run.id, ranges.size);
  return (await queue.find(run.id))!;
}

/** A worker without a loop: takes and ends jobs when the test says so. */
export function testWorker(queue: QueueServer, run: string, kind: ItemKind): Promise<Worker> {
  const { bullmq } = loadQueuePackages();
  const worker = new bullmq.Worker(queue.queueName(run, kind), null, {
    connection: queue.client,
    prefix: queue.prefix,
    skipVersionCheck: true,
    autorun: false,
  });
  worker.on('error', () => undefined);
  workers.push(worker);
  return Promise.resolve(worker);
}

/** A commit that counts delivered events. */
export function testCommit(sequence: number, delivered: number, rest = {}): ItemCommit {
  return {
    progress: {
      sequence,
      last: null,
      open: [],
      counts: { delivered: sequence * delivered },
      handedOn: [],
    },
    stats: { delivered },
    latency: {},
    deadLetters: [],
    putRetries: new Map(),
    ...rest,
  };
}
