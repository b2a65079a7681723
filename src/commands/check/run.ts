import { checksFor } from '../../check/groups/index.js';
import { reportModel } from '../../check/report/model.js';
import { runChecks } from '../../check/run.js';
import { selectChecks } from '../../check/select.js';
import type { CheckReport } from '../../check/result.js';
import { exitCodes } from '../../errors.js';
import { printable } from '../../output/printable.js';
import type { Io } from '../shared/command.js';
import { confirmAddress } from '../shared/confirm-address.js';
import { say } from '../shared/output.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';
import { Interruption } from '../shared/interruption.js';
import type { CheckFlags } from './command.js';
import { reportFiles, writeReports, printReport } from './report.js';
import { plannedRequests, printPlan } from './plan.js';
import { showCheckProgress } from './progress.js';
import { checkSettings } from './settings.js';

export async function check(url: string | undefined, flags: CheckFlags, io: Io): Promise<void> {
  const settings = await checkSettings(url, flags, io);
  const checks = selectChecks(checksFor(settings), flags, settings.sender.usual.name);
  if (flags.dryRun) {
    warnOfVisibleSecret(flags, io);
    printPlan(checks, settings, flags, io);
    return;
  }
  const files = await reportFiles(flags, io.cwd);
  if (!flags.yes) {
    const requests = plannedRequests(checks, settings);
    const fact = `check sends about ${requests} requests`;
    const question = `Send about ${requests} marked requests`;
    await confirmAddress(settings.url, { fact, question }, io);
  }
  warnOfVisibleSecret(flags, io);
  const progress = showCheckProgress(checks.length, flags, io);
  const interruption = new Interruption(() => {
    progress.stop();
    if (!flags.quiet) say(io, 'interrupted: reporting what was judged so far');
  });
  try {
    const { signal } = interruption;
    const result = await runChecks({ checks, settings, signal, onResult: progress.update });
    progress.stop();
    const report = reportModel(result);
    await printReport(report, flags, io);
    if (!signal.aborted) sayIncomplete(result, flags, io);
    await writeReports(files, report);
    // A lookup of the host name cannot be given up.
    if (interruption.signal.aborted) interruption.quitSoon();
    io.exit(interruption.exitCode ?? exitCodeOf(result));
  } finally {
    progress.stop();
    interruption.end();
  }
}

/** Where the report does not say it in words. */
function sayIncomplete(report: CheckReport, { json, quiet }: CheckFlags, io: Io): void {
  const why = report.incomplete ?? (report.isConclusive ? undefined : report.endedEarly);
  if (why !== undefined && (json || quiet)) say(io, printable(`could not be judged: ${why}`));
}

function exitCodeOf({ isConclusive, incomplete, summary }: CheckReport): number {
  if (!isConclusive) return exitCodes.usage;
  if (summary.fail > 0) return exitCodes.negative;
  return incomplete === undefined ? exitCodes.ok : exitCodes.usage;
}
