import { EvfwdError, exitCodes } from '../../errors.js';
import type { RunSnapshot } from '../../importer/shared/run-record.js';
import { countOf } from '../../output/numbers.js';
import { print } from '../shared/output.js';
import { remark, type RunsContext } from './context.js';
import { findSnapshot } from './find-run.js';
import { command } from './next-commands.js';
import { runLine } from './run-line.js';
import { totalsOf } from '../../importer/shared/totals.js';

/** Deletes a run; what is printed is how it was before. */
export async function remove(context: RunsContext, typed: string): Promise<number> {
  const { store, flags, io } = context;
  const snapshot = await findSnapshot(context, typed);
  const { id, status } = snapshot.record;
  if (status === 'running') throw isRunning(id, context);
  await store.remove(id);
  for (const line of removedLines(snapshot)) remark(context, line);
  if (flags.json) print(io, JSON.stringify(runLine(snapshot)));
  return exitCodes.ok;
}

function isRunning(id: string, context: RunsContext): EvfwdError {
  const next = command(context, 'runs', ['cancel', id]);
  const message = `cannot remove ${id}: it is running; cancel it first: ${next}`;
  return new EvfwdError('wrong_state', message, exitCodes.usage);
}

function removedLines({ record, ranges, stats }: RunSnapshot): string[] {
  const { rejected, failed, retrying } = totalsOf(stats);
  const letters = rejected + failed;
  const open = ranges.total - ranges.done;
  const lines = [`removed ${record.id}: ${countOf(ranges.total, 'part')} and all counts`];
  if (letters > 0) {
    lines.push(
      `its ${countOf(letters, 'dead letter')} in the store went with it; copies are only where import --store or runs dead-letters has written them`,
    );
  }
  if (record.status !== 'finished' && open + retrying > 0) {
    const waiting =
      retrying > 0 ? ` and ${countOf(retrying, 'event')} that waited for a retry` : '';
    lines.push(`not sent: the rest of ${countOf(open, 'part')}${waiting}`);
  }
  return lines;
}
