import { exitCodes } from '../errors.js';
import type { FailureLimit } from '../importer/stop-rule.js';
import { failuresOfAllRuns, type Summary } from '../ledger/summary.js';

/** The exit code of a run that has read everything: `--max-failures` says how many failures are fine. */
export function exitCodeOf(summary: Summary, limit: FailureLimit | undefined): number {
  return failuresOfAllRuns(summary) > allowedFailures(limit, summary.read)
    ? exitCodes.incomplete
    : exitCodes.ok;
}

function allowedFailures(limit: FailureLimit | undefined, read: number): number {
  if (!limit) return 0;
  return 'events' in limit ? limit.events : limit.share * read;
}
