import { once } from 'node:events';
import { eventFile } from '../lib/data.js';
import { webhookImport } from '../lib/import-arguments.js';
import { findPostgres, startPostgres } from '../lib/postgres.js';

/** A worker with as many threads as an import of one machine; more workers with as many in all. */
const pairs = [
  { worker: '1 worker of 1 thread', workers: 1, own: 'evfwd import, 1 thread', threads: 1 },
  { worker: '2 workers of 1 thread', workers: 2, own: 'evfwd import, 2 threads', threads: 2 },
];

/**
 * What the store costs. The rate is that from the first to the last request, the time that of the
 * whole `import` command; the CPU time has the workers in it.
 */
export const machines = {
  name: 'machines',
  title: 'workers that share an import through PostgreSQL, against one import with as many threads',

  async prepare(workshop) {
    if (!findPostgres()) return nothing(['PostgreSQL is not installed']);
    if (Number(process.versions.node.split('.')[0]) < 22) return nothing(['Node.js is too old']);
    const events = workshop.pick(100_000, 400_000, 1_000_000);
    const file = await eventFile(events);
    const postgres = await startPostgres(workshop.makeFolder());
    workshop.onClose(() => postgres.stop());

    const embedded = ({ own, threads }) => ({
      name: own,
      run: () =>
        timed(workshop, events, () =>
          workshop.evfwd(webhookImport(workshop, file, ['--threads', String(threads)]), events),
        ),
    });
    const shared = ({ worker, workers }) => ({
      name: worker,
      run: async () => {
        await postgres.clear();
        const started = await Promise.all(
          Array.from({ length: workers }, () => startWorker(workshop, postgres.url)),
        );
        const planner = await timed(workshop, events, () =>
          workshop.evfwd(webhookImport(workshop, file, ['--store', postgres.url]), events),
        );
        const usage = await Promise.all(started.map((one) => one.stop()));
        return withWorkers(planner, usage);
      },
    });
    return {
      contenders: pairs.flatMap((pair) => [embedded(pair), shared(pair)]),
      rounds: workshop.pick(2, 5),
      promises: pairs.flatMap(({ worker: subject, own: peer, workers }) => [
        // Several workers, the server and the receiver take the cores of this machine from each other.
        { subject, peer, ...(workers === 1 && { atLeast: 0.85 }) },
        { subject, peer, metric: 'seconds' },
        { subject, peer, metric: 'cpuSeconds' },
      ]),
    };
  },
};

function nothing(skipped) {
  return { contenders: [], promises: [], rounds: 0, skipped };
}

/** The rate between the first and the last request. */
async function timed(workshop, events, run) {
  const result = await workshop.received(events, run);
  const { firstAt, lastAt, requests } = await workshop.receiver.counts();
  return { ...result, rate: (requests * 1000) / (lastAt - firstAt) };
}

/** Resolves when the worker waits for runs; `stop` ends it and resolves to its usage. */
async function startWorker(workshop, store) {
  const flags = ['--threads', '1', '--secret-file', workshop.secretFile];
  let child;
  const ended = workshop.evfwd(['worker', '--store', store, ...flags], undefined, {
    onSpawn: (spawned) => (child = spawned),
  });
  await Promise.race([waits(child), ended]);
  return {
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

async function waits(child) {
  let text = '';
  while (!text.includes('waiting for runs')) text += (await once(child.stderr, 'data'))[0];
}

/** CPU time is the sum, memory that of the largest process. */
function withWorkers(planner, workers) {
  const all = [planner, ...workers];
  return {
    ...planner,
    cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakMb: Math.max(...all.map(({ peakMb }) => peakMb)),
  };
}
