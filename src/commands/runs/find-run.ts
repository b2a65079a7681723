import { UsageError } from '../../errors.js';
import type { RunHead, RunSnapshot } from '../../importer/shared/run-record.js';
import { count } from '../../output/numbers.js';
import { similar } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import type { RunsContext } from './context.js';

type Identified = Pick<RunHead, 'id'>;

/** More candidates than these are counted. */
const shownCandidates = 5;

/** The run of the server whose id is `typed` or begins with it. @throws as `pick` */
export async function findRun({ store }: RunsContext, typed: string): Promise<RunHead> {
  return pick(typed, (await store.list()).reverse());
}

/** @throws UsageError if no id is `typed` or begins with it, or more than one begins with it */
export function pick<T extends Identified>(typed: string, records: readonly T[]): T {
  // As a variable that is not set leaves behind; every id begins with it.
  if (typed === '') throw new UsageError('<id> is empty; evfwd runs lists the ids');
  const exact = records.find(({ id }) => id === typed);
  if (exact) return exact;
  const fitting = records.filter(({ id }) => id.startsWith(typed));
  if (fitting.length > 1) throw ambiguous(typed, fitting);
  return fitting[0] ?? fail(unknown(typed, records));
}

/** The same with all that is known of it now. */
export async function findSnapshot(context: RunsContext, typed: string): Promise<RunSnapshot> {
  const { id } = await findRun(context, typed);
  return snapshotOf(context, id);
}

/** @throws UsageError if the run has been removed in the meantime */
export async function snapshotOf({ store }: RunsContext, id: string): Promise<RunSnapshot> {
  return (await store.snapshot(id)) ?? fail(removed(id));
}

export function removed(id: string): UsageError {
  return new UsageError(`${id} has just been removed; evfwd runs lists the runs`, 'unknown_run');
}

function ambiguous(typed: string, fitting: readonly Identified[]): UsageError {
  const shown = fitting.slice(0, shownCandidates).map(({ id }) => id);
  const others = fitting.length - shown.length;
  const names = others > 0 ? [...shown, `${count(others)} more`] : shown;
  return new UsageError(
    `${quoted(typed, 'the id')} is ambiguous: it is the beginning of ${names.join(', ')}; use more of the id`,
    'ambiguous_run',
  );
}

function unknown(typed: string, records: readonly Identified[]): UsageError {
  const what = `no run has an id that begins with ${quoted(typed, 'the argument')}`;
  if (records.length === 0) return new UsageError(`${what}: there are no runs`, 'unknown_run');
  const meant = records.find(({ id }) => similar(typed, [id, nameOf(id)]) !== undefined);
  const advice = meant ? ` (Did you mean ${meant.id}?)` : '';
  return new UsageError(`${what}${advice}; evfwd runs lists the ids`, 'unknown_run');
}

/** `history` of `history-k3f9c02d`. */
function nameOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('-')));
}

function fail(error: Error): never {
  throw error;
}
