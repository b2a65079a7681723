import type { RunProblem, RunSnapshot, RunStatus } from '../../importer/shared/run-record.js';
import { totalsOf, type Totals } from '../../importer/shared/totals.js';

/** Why parts failed. */
interface ProblemMembers extends Pick<RunProblem, 'file' | 'message'> {
  readonly parts: number;
}

/** A run with `--json`. */
export interface RunLine extends Totals {
  readonly type: 'run';
  readonly id: string;
  readonly state: RunStatus;
  readonly parts: RunSnapshot['ranges'];
  readonly problems: readonly ProblemMembers[];
}

export function runLine({ record, ranges, stats, problems }: RunSnapshot): RunLine {
  const { total, done, failed } = ranges;
  return {
    type: 'run',
    id: record.id,
    state: record.status,
    parts: { total, done, failed },
    ...totalsOf(stats),
    problems: problems.map(({ file, message, ranges: some }) => ({ file, message, parts: some })),
  };
}
