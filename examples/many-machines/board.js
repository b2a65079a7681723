// Shows the queues of all runs at http://127.0.0.1:4600/, and their counts for Prometheus at /metrics:
//   npm install bullmq ioredis express @bull-board/api @bull-board/express
//   EVFWD_QUEUE=redis://127.0.0.1:6379/0 node board.js
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';

const prefix = 'evfwd'; // --queue-prefix
const connection = new Redis(process.env.EVFWD_QUEUE, { maxRetriesPerRequest: null });
const queues = new Map();
const serverAdapter = new ExpressAdapter();
const board = createBullBoard({ queues: [], serverAdapter });

/** Each run has two queues, which end with it. */
async function update() {
  const runs = await connection.zrange(`${prefix}:runs`, 0, -1);
  const names = runs.flatMap((run) => [`${run}-ranges`, `${run}-retries`]);
  for (const name of names.filter((name) => !queues.has(name))) {
    // Without skipMetasUpdate it would change settings of the queue.
    const queue = new Queue(name, { connection, prefix, skipMetasUpdate: true });
    queues.set(name, queue);
    board.addQueue(new BullMQAdapter(queue, { readOnlyMode: true }));
  }
  for (const [name, queue] of queues) {
    if (names.includes(name)) continue;
    queues.delete(name);
    board.removeQueue(name);
    await queue.close();
  }
  return runs;
}

async function metrics() {
  const runs = await update();
  const texts = await Promise.all([...queues.values()].map((q) => q.exportPrometheusMetrics()));
  // Each queue has the same comments. The other metrics of BullMQ need an option that evfwd does not set.
  const lines = new Set(texts.join('\n').match(/.*bullmq_job_count.*/g));
  lines.add('# TYPE evfwd_run_events gauge');
  for (const run of runs) {
    const counts = await connection.hgetall(`${prefix}:run:${run}:stats`);
    for (const outcome of ['delivered', 'rejected', 'failed', 'skipped', 'retrying'])
      lines.add(`evfwd_run_events{run="${run}",outcome="${outcome}"} ${counts[outcome] ?? 0}`);
  }
  return [...lines].join('\n') + '\n';
}

await update();
setInterval(update, 5_000);
express()
  .get('/metrics', async (_, response) => response.type('text/plain').send(await metrics()))
  .use('/', serverAdapter.getRouter())
  .listen(4600, '127.0.0.1');
