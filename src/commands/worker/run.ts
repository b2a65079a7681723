import { randomBytes } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import type { TargetSettings } from '../../config/open-target.js';
import { exitCodes } from '../../errors.js';
import { RunWorker, type RunWorkerOptions } from '../../importer/shared/worker/run-worker.js';
import { mostThreads } from '../../importer/workers/thread-share.js';
import { AttemptLog } from '../../ledger/attempt-log.js';
import { colors } from '../../output/text.js';
import type { Io } from '../shared/command.js';
import { coresToUse } from '../shared/cores.js';
import { limitHeapGrowth, limitInlining } from '../../memory-limits.js';
import { Interruption } from '../shared/interruption.js';
import { openRuns } from '../shared/open-runs.js';
import { storeOfConfig, storeUrl } from '../shared/store-flags.js';
import type { WorkerFlags } from './flags.js';
import { ownPartsOf } from './own-parts.js';
import { WorkerReport } from './report.js';
import { untilGone } from './until-gone.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';

/** One part is sent while the progress of the other is stored. */
const defaultParts = 2;

/** Runs `worker`, from flags to exit code. */
export async function work(flags: WorkerFlags, io: Io): Promise<void> {
  const own = await ownPartsOf(flags, io);
  const report = new WorkerReport(flags, io, await colors(io.stderr, io.env, flags.color));
  const log = flags.log === undefined ? undefined : new AttemptLog(flags.log, true);
  const configured = storeUrl(flags, io) === undefined ? await storeOfConfig(flags, io) : undefined;
  const server = await openRuns(flags, io, { configured, takesJobs: true });
  warnOfVisibleSecret(flags, io);
  const interruption = new Interruption(() => report.interrupted());
  try {
    const { signal } = interruption;
    const served = serveRuns({ flags, own, server, log, report, signal });
    const givenBack = await Promise.race([served, untilGone(server, signal)]);
    if (givenBack === undefined) report.abandoned(server.name);
    else report.ended(givenBack);
    const unwritten = await log?.close(interruption.signal);
    if (unwritten) report.unwritten(flags.log ?? '', unwritten);
    // What is in hand would wait for the store.
    if (givenBack === undefined) interruption.quit(exitCodes.state);
    io.exit(exitCodes.ok);
  } catch (error) {
    // The error is printed by then; what is in hand may wait for the store for ever.
    interruption.quitSoon();
    throw error;
  } finally {
    interruption.end();
    log?.abandon();
    await server.close();
  }
}

interface WorkParts extends Pick<RunWorkerOptions, 'own' | 'server' | 'log' | 'signal'> {
  readonly flags: WorkerFlags;
  readonly report: WorkerReport;
}

/** Resolves at the end, with the number of parts that were given back. */
async function serveRuns({ flags, report, ...parts }: WorkParts): Promise<number> {
  const { server } = parts;
  const { concurrency, root: roots = [] } = flags;
  // Containers may share a host name and have the same process id.
  const id = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
  report.ready(id, server.name);
  return new RunWorker({
    ...{ ...parts, id, roots, concurrency },
    rangesFor: (threads) => flags.parts ?? Math.max(defaultParts, threads),
    aheadMs: () => server.now() - Date.now(),
    threadsFor: (settings) => {
      const count = threadsOf(flags, settings);
      // Each thread has a heap of its own. The limits stay for later runs, also those in one thread.
      if (count > 0) {
        limitInlining();
        limitHeapGrowth();
      }
      return count;
    },
    listener: report,
  }).run();
}

function threadsOf({ threads, concurrency }: WorkerFlags, settings: TargetSettings): number {
  const most = Math.min(concurrency, mostThreads(settings));
  const wanted = Math.min(threads ?? coresToUse(settings, availableParallelism()), most);
  return wanted > 1 ? wanted : 0;
}
