import { chunksOf } from '../../../collections/chunks.js';
import { EvfwdError, exitCodes, UsageError } from '../../../errors.js';
import { changedFiles } from '../../../importer/queue/file-changes.js';
import { countRanges, rangesOf } from '../../../importer/queue/plan-ranges.js';
import { planFormat, type Plan } from '../../../importer/queue/plan.js';
import type { QueueServer } from '../../../importer/queue/queue-server.js';
import { printable } from '../../../output/printable.js';
import type { RunRecord, RunSnapshot } from '../../../importer/queue/run-record.js';

export interface JoinOptions {
  readonly identity: string;
  /** What a new run is made from. */
  readonly plan: Plan;
  /** The readable part of the id of a new run. */
  readonly name: string;
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
}

/** Ranges that are put into the queue at once. */
const chunkLength = 1_000;

/** A run that this process has made, or that was there. */
export class JoinedRun {
  /** As it was found. */
  readonly record: RunRecord;
  /** Whether this process has made it. */
  readonly isNew: boolean;
  /** After joining. */
  readonly snapshot: RunSnapshot;

  private constructor(record: RunRecord, isNew: boolean, snapshot: RunSnapshot) {
    this.record = record;
    this.isNew = isNew;
    this.snapshot = snapshot;
  }

  /**
   * Makes the run or joins it, puts its ranges into the queue unless they are all there, and resumes it
   * if `--stop-after` had paused it, with the limit of this call if it has one.
   *
   * @throws UsageError when another version has planned it in another format, or when a file is not the
   * planned one any more: what became of the planned ones says nothing about the files of now
   */
  static async join(server: QueueServer, options: JoinOptions): Promise<JoinedRun> {
    const { identity, plan, name, isFresh, signal } = options;
    const record = await server.join(identity, plan, name, isFresh);
    checkFormat(record);
    checkFiles(record, plan);
    const isNew = record.plan.seed === plan.seed;
    const isOver = record.status === 'finished' || record.status === 'cancelled';
    if (record.total === null && !isOver) await planRanges(server, record, signal);
    if (record.status === 'paused' && record.stopReason !== null) {
      await server.resume(record.id, plan.stopAfter ?? undefined);
    }
    const snapshot = await server.snapshot(record.id);
    if (!snapshot) throw removedError(record.id);
    return new JoinedRun(record, isNew, snapshot);
  }
}

function checkFormat({ id, plan }: RunRecord): void {
  if (plan.format === planFormat) return;
  throw new UsageError(
    `run ${id} was planned by evfwd ${printable(plan.program)}, in a format that this version does not know; use that version, or --fresh for a new run`,
    'plan_format',
  );
}

function checkFiles({ id, plan, status }: RunRecord, { files }: Plan): void {
  const [first, ...others] = changedFiles(plan.files, files);
  if (!first) return;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const isOpen = status === 'running' || status === 'paused';
  const fresh = isOpen ? 'cancel that run and make a new one' : 'make a new run';
  throw new UsageError(
    `${printable(first.path)}${more}: has changed since run ${id} was planned: it ${first.difference}; restore it, or use --fresh to ${fresh}`,
    'file_changed',
  );
}

/** Ranges that are in the queue already, as of a planner that was killed, stay as they are. */
async function planRanges(
  server: QueueServer,
  { id, plan }: RunRecord,
  signal: AbortSignal,
): Promise<void> {
  for (const chunk of chunksOf(rangesOf(plan), chunkLength)) {
    // The caller does not wait any more.
    if (signal.aborted) return;
    await server.addRanges(id, new Map(chunk));
  }
  const total = countRanges(plan);
  await server.endPlanning(id, total);
  // Of empty files, no worker has anything to do.
  if (total === 0) await server.finishIfDone(id);
}

/** Somebody has removed the run while this process was following it. */
export function removedError(run: string): EvfwdError {
  return new EvfwdError(
    'run_removed',
    `run ${run} was removed from the queue; the same command makes a new run`,
    exitCodes.incomplete,
  );
}
