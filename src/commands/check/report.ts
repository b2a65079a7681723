import type { CheckReport } from '../../check/result.js';
import { colors } from '../../output/text.js';
import { writeSlowly } from '../../output/write-slowly.js';
import type { Io } from '../shared/command.js';
import type { CheckFlags } from './command.js';

/** Prints the report to standard output: JSON lines, or text for a terminal. */
export async function printReport(report: CheckReport, flags: CheckFlags, io: Io): Promise<void> {
  const lines = flags.json ? await jsonOf(report) : await textOf(report, flags, io);
  await writeSlowly(io.stdout, lines.map((line) => `${line}\n`).join(''));
}

async function jsonOf(report: CheckReport): Promise<string[]> {
  const { jsonLines } = await import('../../check/report/json.js');
  return jsonLines(report);
}

async function textOf(report: CheckReport, flags: CheckFlags, io: Io): Promise<string[]> {
  const { reportLines } = await import('../../check/report/text.js');
  return reportLines(report, {
    paint: await colors(io.stdout, io.env, flags.color),
    width: io.stdout.columns ?? defaultWidth,
    isVerbose: flags.verbose ?? false,
  });
}

/** Where standard output is no terminal. */
const defaultWidth = 80;
