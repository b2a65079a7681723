import { jsonLines } from '../../check/report/json.js';
import { reportLines } from '../../check/report/text.js';
import type { CheckReport } from '../../check/result.js';
import { colors } from '../../output/text.js';
import { writeSlowly } from '../../output/write-slowly.js';
import type { Io } from '../shared/command.js';
import type { CheckFlags } from './command.js';

/** Where the width is not known, as in a file. */
const usualWidth = 80;

/** The report on standard output: for people, or as lines of JSON; for people not with `--quiet`. */
export async function printReport(
  report: CheckReport,
  flags: Pick<CheckFlags, 'json' | 'quiet' | 'verbose' | 'color' | 'framework'>,
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
): Promise<void> {
  if (flags.json) return writeLines(stdout, jsonLines(report));
  if (flags.quiet) return;
  const paint = await colors(stdout, env, flags.color);
  // Some pseudo-terminals report zero columns.
  const width = stdout.columns || usualWidth;
  await writeLines(
    stdout,
    reportLines(report, {
      paint,
      width,
      isVerbose: flags.verbose === true,
      frameworks: flags.framework ?? [],
    }),
  );
}

function writeLines(stdout: Io['stdout'], lines: readonly string[]): Promise<void> {
  return writeSlowly(stdout, `${lines.join('\n')}\n`);
}
