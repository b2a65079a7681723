import { rmSync } from 'node:fs';
import { EvfwdError, exitCodes, StateError, UsageError } from '../../../errors.js';
import { countOf } from '../../../output/numbers.js';
import { Locks, acquireLock } from '../../../storage/lock.js';
import { print } from '../../shared/output.js';
import { remark, type FolderContext } from '../context.js';
import { pick } from '../find-run.js';
import { fileEnds, findRuns, type FolderRun, type FolderState } from './find-runs.js';
import { runLine } from './list.js';

/** Removes runs with their dead letters: all that are meant, or none and an error. */
export async function remove(context: FolderContext, typed: readonly string[]): Promise<number> {
  const { flags, folder, io } = context;
  const runs = await findRuns(folder);
  const chosen = new Set(flags.finished ? finishedOnes(runs, typed) : named(runs, typed));
  const locks = new Locks();
  try {
    for (const run of chosen) {
      locks.add(acquireLock(`${run.base}.lock`, run.id));
      if (!flags.force) checkNothingLeft(run);
    }
    for (const run of chosen) {
      remark(context, removedText(run));
      for (const end of fileEnds) removeFile(run.base + end);
      if (flags.json) print(io, JSON.stringify(runLine(run, folder)));
    }
  } finally {
    locks.release();
  }
  if (chosen.size === 0) remark(context, `no finished runs without dead letters in ${folder}`);
  return exitCodes.ok;
}

/** An audience is not among them: what was sent to it is needed to compare the next list. */
function finishedOnes(runs: readonly FolderRun[], typed: readonly string[]): FolderRun[] {
  if (typed.length > 0) throw new UsageError('use ids or --finished, not both');
  return runs.filter(
    (run) => run.state === 'finished' && run.progress?.kind !== 'audience' && !isUnsent(run),
  );
}

function named(runs: readonly FolderRun[], typed: readonly string[]): FolderRun[] {
  if (typed.length === 0) {
    throw new UsageError('<id> is missing: use ids of runs, which evfwd runs lists, or --finished');
  }
  return typed.map((id) => pick(id, runs));
}

function isUnsent({ deadLetters }: FolderRun): boolean {
  return deadLetters !== undefined && !deadLetters.isSent;
}

/** @throws EvfwdError if something of the run is still to be done */
function checkNothingLeft(run: FolderRun): void {
  const { id, state, progress, deadLetters } = run;
  const left: Partial<Record<FolderState, string>> = {
    unreadable: 'its state cannot be read',
    interrupted: `it was interrupted, ${countOf(progress?.counts.pending ?? 0, 'event')} pending`,
  };
  const unsent = isUnsent(run) && `${countOf(deadLetters!.lines, 'dead letter')} of it not sent`;
  const problem = left[state] ?? unsent;
  if (!problem) return;
  const message = `cannot remove ${id}: ${problem}; evfwd runs says what to do, and --force removes it anyway`;
  throw new EvfwdError('wrong_state', message, exitCodes.usage);
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new StateError(`${path}: cannot be removed (${code}); remove it yourself`, { cause });
  }
}

function removedText({ id, state, deadLetters }: FolderRun): string {
  const letters = deadLetters && countOf(deadLetters.lines, 'dead letter');
  if (state === 'none') return `removing ${letters ?? 'nothing'} of ${id}`;
  const what = letters === undefined ? 'its state' : `its state and ${letters}`;
  return `removing ${id}: ${what}; the same command will send everything again`;
}
