import { EvfwdError, exitCodes, UsageError } from '../../../errors.js';
import { changedFiles } from '../../../importer/shared/file-changes.js';
import { planFormat, type Plan } from '../../../importer/shared/plan.js';
import type { RunStore } from '../../../importer/shared/run-store.js';
import { printable } from '../../../output/printable.js';
import type { RunRecord, RunSnapshot } from '../../../importer/shared/run-record.js';

export interface JoinOptions {
  readonly identity: string;
  /** What a new run is made from. */
  readonly plan: Plan;
  /** The readable part of the id of a new run. */
  readonly name: string;
  readonly isFresh: boolean;
  /** Called before a new run is made. */
  readonly checkNew: () => void;
}

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
   * Makes the run or joins it, and resumes it if `--stop-after` had paused it, with the limit of this call if
   * it has one.
   *
   * @throws what `checkNew` throws; UsageError when another version has planned it in another format, or when a file is
   * not the planned one any more: what became of the planned ones says nothing about the files of now
   */
  static async join(server: RunStore, options: JoinOptions): Promise<JoinedRun> {
    const { identity, plan, name, isFresh, checkNew } = options;
    const record = await server.plan(identity, plan, name, isFresh, checkNew);
    checkFormat(record);
    checkFiles(record, plan);
    const isNew = record.plan.seed === plan.seed;
    // Of empty files, no worker has anything to do.
    if (record.total === 0) await server.finishIfDone(record.id);
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

/** Somebody has removed the run while this process was following it. */
export function removedError(run: string): EvfwdError {
  return new EvfwdError(
    'run_removed',
    `run ${run} was removed from the store; the same command makes a new run`,
    exitCodes.incomplete,
  );
}
