import { StopRule } from '../../../importer/stop-rule.js';
import type { RunSummary } from '../../../importer/shared/run-summary.js';
import { storeCommand, resumeCommand, variablesFor } from '../../flags/next-command.js';
import { failureSteps, resumeSteps, variablesText } from '../../shared/next-steps.js';
import type { SharedCall } from './call.js';

/** How the planner's part of a run has ended. */
export type RunEnding =
  /** Every range has ended. */
  | { readonly kind: 'finished'; readonly wasFinished: boolean }
  | { readonly kind: 'cancelled' }
  /** A worker has paused it: by `--stop-after`, or since credentials are refused. */
  | { readonly kind: 'stopped'; readonly reason: string }
  /** Ctrl-C or SIGTERM has ended this process, not the run. */
  | { readonly kind: 'interrupted' };

const freshText = '--fresh makes a new run';

/** What a user should know and do next, line by line. */
export function nextSteps(call: SharedCall, summary: RunSummary, ending: RunEnding): string[] {
  // Dead letters are retried by an import of their own.
  const typed = call.typed.filter(({ flag }) => flag.name !== '--store');
  return [
    ...failureSteps({ ...call, typed }, summary),
    ...problemSteps(call, summary),
    ...endSteps(call, summary, ending),
  ];
}

function problemSteps({ typed }: SharedCall, { run, problems }: RunSummary): string[] {
  if (problems.length === 0) return [];
  // A password is not printed, so the command reads the URL from the environment.
  const isHidden = variablesFor(typed).includes('EVFWD_STORE');
  return [
    'fix the cause without changing the size or modification time of a file, then put these parts back:',
    ...(isHidden ? ['  export EVFWD_STORE=…  # the URL of --store'] : []),
    `  ${storeCommand(`evfwd runs verify ${run}`, typed)}`,
  ];
}

function endSteps(call: SharedCall, summary: RunSummary, ending: RunEnding): string[] {
  const { run } = summary;
  switch (ending.kind) {
    case 'finished':
      return ending.wasFinished ? [`run ${run} had already finished; ${freshText}`] : [];
    case 'cancelled':
      return [`run ${run} was cancelled; ${freshText}`];
    case 'stopped':
      return [
        `stopped: ${ending.reason}; the rest is pending`,
        ...(isStoppedByRule(call, summary)
          ? ['to continue whatever fails, use --stop-after 100%']
          : []),
        ...resumeSteps(call, 'fix the cause and run'),
      ];
    case 'interrupted':
      return comeBackSteps(call, run);
  }
}

/** Whether too many events have failed; else credentials were refused, which the reason says. */
function isStoppedByRule({ flags }: SharedCall, summary: RunSummary): boolean {
  const { delivered, rejected, failed } = summary;
  const counts: Partial<Record<string, number>> = { delivered, rejected, failed };
  return new StopRule(flags.stopAfter).check({ count: (status) => counts[status] ?? 0 });
}

/** How to come back; `run` is undefined if Ctrl-C came before it was made. */
export function comeBackSteps(
  { files, typed }: Pick<SharedCall, 'files' | 'typed'>,
  run: string | undefined,
): string[] {
  const what =
    run === undefined
      ? 'the run may not be planned completely; run the same command again'
      : `run ${run} continues; to follow it again, run the same command`;
  const command = resumeCommand(files, typed);
  return command === undefined ? [what] : [`${what}${variablesText(typed)}:`, `  ${command}`];
}
