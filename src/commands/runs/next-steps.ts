import type { RunsContext } from './context.js';
import { command, needsVariable } from './next-commands.js';
import { isReadable, type RunDetails } from './run-details.js';
import { totalsOf } from '../../importer/shared/totals.js';

/** The commands that make sense for a run as it is, each on a line of its own below a title. */
export function nextSteps(context: RunsContext, details: RunDetails): string[] {
  const { snapshot } = details;
  const { id, status } = snapshot.record;
  const lines = actionsOf(details).map((action) => `  ${command(context, 'runs', [action, id])}`);
  // A run without workers waits for one more than for anything else.
  if (status === 'running' && snapshot.workers.length === 0) {
    lines.unshift(`  ${command(context, 'worker', [])}`);
  }
  const first = needsVariable(context) ? ' (set EVFWD_STORE first)' : '';
  return ['', `next${first}:`, ...lines];
}

function actionsOf({ snapshot: { record, ranges, stats, failedRetries } }: RunDetails): string[] {
  const { rejected, failed } = totalsOf(stats);
  const actions: string[] = [];
  if (rejected + failed > 0) actions.push('dead-letters');
  if (isReadable(record.plan) && ranges.failed + failedRetries > 0) actions.push('verify');
  return [...actions, ...actionsByStatus[record.status]];
}

const actionsByStatus = {
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  cancelled: ['remove'],
  finished: ['remove'],
} as const;
