import { EvfwdError, exitCodes } from '../../errors.js';
import type { RunStore } from '../../importer/shared/run-store.js';
import type { RunHead, RunStatus } from '../../importer/shared/run-record.js';
import { print } from '../shared/output.js';
import { remark, type RunsContext } from './context.js';
import { findRun, removed, snapshotOf } from './find-run.js';
import { command } from './next-commands.js';
import { runLine } from './run-line.js';

interface StatusChange {
  readonly name: 'pause' | 'resume' | 'cancel';
  /** What it makes of the run. */
  readonly result: RunStatus;
  /** The statuses that it can change. */
  readonly from: readonly RunStatus[];
  apply(store: RunStore, id: string): Promise<boolean>;
  /** What a user should know after it. */
  next(context: RunsContext, id: string): string;
}

const changes: Readonly<Record<StatusChange['name'], StatusChange>> = {
  pause: {
    name: 'pause',
    result: 'paused',
    from: ['running'],
    apply: (store, id) => store.pause(id, null),
    next: (context, id) =>
      `its workers finish what is in flight; resume it with: ${command(context, 'runs', ['resume', id])}`,
  },
  resume: {
    name: 'resume',
    result: 'running',
    from: ['paused'],
    apply: (store, id) => store.resume(id),
    next: () => 'workers that are up go on with it',
  },
  cancel: {
    name: 'cancel',
    result: 'cancelled',
    from: ['running', 'paused'],
    apply: (store, id) => store.cancel(id),
    next: (context, id) =>
      `its workers finish what is in flight; delete it with: ${command(context, 'runs', ['remove', id])}`,
  },
};

export async function pause(context: RunsContext, typed: string): Promise<number> {
  return change(changes.pause, context, typed);
}

export async function resume(context: RunsContext, typed: string): Promise<number> {
  return change(changes.resume, context, typed);
}

export async function cancel(context: RunsContext, typed: string): Promise<number> {
  return change(changes.cancel, context, typed);
}

async function change(wanted: StatusChange, context: RunsContext, typed: string): Promise<number> {
  const { io, flags } = context;
  const record = await findRun(context, typed);
  remark(context, await apply(wanted, record, context));
  if (flags.json) print(io, JSON.stringify(runLine(await snapshotOf(context, record.id))));
  return exitCodes.ok;
}

/** Returns what happened, in words. */
async function apply(wanted: StatusChange, record: RunHead, context: RunsContext): Promise<string> {
  const { store } = context;
  const { id, status } = record;
  if (status === wanted.result) return `${id} is already ${wanted.result}`;
  if (!wanted.from.includes(status)) throw refused(wanted, record, context);
  if (await wanted.apply(store, id))
    return `${id} is ${wanted.result}: ${wanted.next(context, id)}`;
  // Somebody else has changed it in the meantime.
  const now = await store.find(id);
  if (!now) throw removed(id);
  return apply(wanted, now, context);
}

function refused(
  { name }: StatusChange,
  { id, status }: RunHead,
  context: RunsContext,
): EvfwdError {
  const why = status === 'finished' ? 'has finished' : 'was cancelled';
  const next =
    status === 'finished'
      ? `see ${command(context, 'runs', ['show', id])}`
      : 'the same import with --fresh makes a new run';
  const message = `cannot ${name} ${id}: it ${why}; ${next}`;
  return new EvfwdError('wrong_state', message, exitCodes.usage);
}
