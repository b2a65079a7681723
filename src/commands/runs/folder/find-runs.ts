import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EvfwdError, StateError, UsageError } from '../../../errors.js';
import { stateOfRun } from '../../../ledger/state-use.js';
import { reasonOf } from '../../../sources/input.js';
import { isHeld } from '../../../storage/lock.js';
import { explained } from '../../../storage/state-errors.js';
import { isSent, readDeadLetters, type DeadLetters } from './dead-letters.js';
import { readProgress, type Progress } from './progress.js';

/** `none`: only dead letters are left, as of an import of standard input or with `--store`. */
export type FolderState = 'running' | 'interrupted' | 'finished' | 'unreadable' | 'none';

/** A run whose state, or whose dead letters, are in a folder. */
export interface FolderRun {
  readonly id: string;
  /** The path of its files, without their ends. */
  readonly base: string;
  readonly state: FolderState;
  /** The last change of its files; of a running one, when it began. Milliseconds since 1970. */
  readonly changedAt: number;
  readonly progress: Progress | undefined;
  readonly deadLetters: (DeadLetters & { readonly isSent: boolean }) | undefined;
  /** Why the state could not be read: one line. */
  readonly reason: string | undefined;
}

const lockEnd = '.lock';
const deadLetterEnd = '.dead-letter.ndjson';

/** All files of a run. */
export const fileEnds: readonly string[] = ['.db', '.plan.db']
  .flatMap((end) => ['', '-wal', '-shm', '-journal'].map((more) => end + more))
  .concat(deadLetterEnd);

/** The runs of a folder, the last changed first; none if there is no folder. @throws UsageError */
export async function findRuns(folder: string): Promise<FolderRun[]> {
  const files = filesIn(folder);
  const ids = new Set(files.flatMap((file) => idIn(folder, file) ?? []));
  const found: Found[] = [];
  for (const id of ids) found.push(await look(folder, id));
  const finished = found.filter(({ state }) => state === 'finished');
  const read = finished.flatMap(({ progress }) => progress?.files ?? []);
  return found
    .map(({ deadLetters, ...run }) => ({
      ...run,
      deadLetters: deadLetters && { ...deadLetters, isSent: isSent(deadLetters, read) },
    }))
    .sort((a, b) => b.changedAt - a.changedAt);
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    const message = `--state-dir ${folder}: ${reasonOf(cause)}; use the directory of the runs`;
    throw new UsageError(message, 'unreadable_file', { cause });
  }
}

/** The run that a file tells of; undefined for other files. The state of `serve` is no run. */
function idIn(folder: string, file: string): string | undefined {
  if (file === 'serve.db' || file === 'serve.lock' || file.endsWith('.plan.db')) return undefined;
  for (const end of ['.db', deadLetterEnd]) if (file.endsWith(end)) return basename(file, end);
  // A run that has just begun has only its lock. A file of `--dead-letter` is locked, too, and is no run.
  if (!file.endsWith(lockEnd) || file.endsWith(`.ndjson${lockEnd}`)) return undefined;
  return isHeld(join(folder, file)) ? basename(file, lockEnd) : undefined;
}

type Found = Omit<FolderRun, 'deadLetters'> & { deadLetters: DeadLetters | undefined };

async function look(folder: string, id: string): Promise<Found> {
  const base = join(folder, id);
  const [path, deadLetterFile, lock] = [`${base}.db`, base + deadLetterEnd, base + lockEnd];
  const isRunning = isHeld(lock);
  const changes = (isRunning ? [lock] : [path, `${path}-wal`, deadLetterFile]).map(changeOf);
  const hasState = changeOf(path) > 0;
  const [deadLetters, progress] = await Promise.allSettled([
    Promise.resolve(deadLetterFile).then(readDeadLetters),
    hasState ? readProgress(path, id) : undefined,
  ]);
  const known = {
    ...{ id, base, changedAt: Math.max(...changes), reason: undefined },
    progress: valueOf(progress),
    deadLetters: valueOf(deadLetters),
  };
  // A state that is in use may change too fast to be read.
  if (isRunning) return { ...known, state: 'running' };
  if (progress.status === 'rejected')
    return { ...known, state: 'unreadable', reason: reasonFor(progress.reason, path) };
  if (deadLetters.status === 'rejected')
    return { ...known, state: 'unreadable', reason: reasonFor(deadLetters.reason, deadLetterFile) };
  if (!hasState) return { ...known, state: 'none' };
  return { ...known, state: progress.value?.isFinished ? 'finished' : 'interrupted' };
}

function valueOf<T>(result: PromiseSettledResult<T>): T | undefined {
  return result.status === 'fulfilled' ? result.value : undefined;
}

/** In milliseconds since 1970; 0 if there is no such file. */
function changeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    // The error is reported when a file of the run is read.
    return 0;
  }
}

const { advice } = stateOfRun('run', { version: 0, schema: '' });

function reasonFor(error: unknown, path: string): string {
  if (error instanceof SyntaxError) return `${path}: this state file is damaged; ${advice.damaged}`;
  const known = explained(error, path, advice);
  if (known instanceof StateError) return `${path}: ${reasonOf(known.cause)}`;
  if (known instanceof EvfwdError) return known.message;
  throw known;
}
