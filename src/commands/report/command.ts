import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { EvfwdError, exitCodes } from '../../errors.js';
import type { Report } from '../../report/report.js';
import type { ReadSummary } from '../../report/read-logs.js';
import type { Io } from '../shared/command.js';
import { addFlags, flag } from '../flags/flag.js';
import { addOutputFlags, type OutputFlags } from '../flags/output.js';
import { addExamples } from '../shared/examples.js';
import { print, say } from '../shared/output.js';
import { defaultStateDir } from '../shared/state-dir.js';

interface ReportFlags extends OutputFlags {
  html?: string;
}

const htmlFlag = flag(
  '--html <file>',
  'also write the report as an HTML page; replaces an existing file',
  { insteadOfDash: 'use a file name' },
);

export function define(command: Command, io: Io): void {
  command.argument('<log...>', 'logs written by import --log, plain or gzip; - for standard input');
  addFlags(command, [htmlFlag]);
  addOutputFlags(command);
  addExamples(command, [
    ['summarize an import', 'evfwd report attempts.ndjson'],
    ['as a page for a colleague', 'evfwd report attempts-*.ndjson.gz --html report.html'],
    ['the statuses of the responses', "evfwd report attempts.ndjson --json | jq '.statuses'"],
  ]);
  command.action((logs: string[], flags: ReportFlags) => report(logs, flags, io));
}

async function report(logs: string[], flags: ReportFlags, io: Io): Promise<void> {
  const { findInputs } = await import('../../sources/find-inputs.js');
  const inputs = await findInputs(logs, { expands: false });
  const { checkPagePath, writePage } = await import('../../report/write-page.js');
  if (flags.html !== undefined) await checkPagePath(flags.html, logs);

  const { Statistics } = await import('../../report/statistics.js');
  const { readLogs } = await import('../../report/read-logs.js');
  const statistics = new Statistics();
  const reading = await readLogs(inputs, io.stdin, (attempt) => statistics.add(attempt));
  if (statistics.attempts === 0) throw await noAttempts(reading);

  const result = statistics.report(reading);
  await show(result, flags, io);
  if (flags.html !== undefined) {
    const { findDeadLetters } = await import('../../report/find-dead-letters.js');
    const { reportPage } = await import('../../report/page/page.js');
    const folder = resolve(io.cwd, defaultStateDir);
    const name = await findDeadLetters(folder, result.failedDeliveries);
    const deadLetters = name === undefined ? undefined : join(defaultStateDir, name);
    await writePage(flags.html, reportPage(result, deadLetters));
    if (!flags.quiet) say(io, `report written to ${flags.html}`);
  }
  io.exit(reading.brokenInputs.length > 0 ? exitCodes.negative : exitCodes.ok);
}

async function show(result: Report, flags: ReportFlags, io: Io): Promise<void> {
  if (flags.json) {
    print(io, JSON.stringify(result));
  } else {
    const { colors } = await import('../../output/text.js');
    const { reportText } = await import('../../report/text.js');
    print(io, reportText(result, await colors(io.stdout, io.env, flags.color)));
  }
  await warn(result, flags, io);
}

/** Warnings about the logs themselves. */
async function warn(reading: ReadSummary, flags: OutputFlags, io: Io): Promise<void> {
  const { countOf } = await import('../../output/numbers.js');
  const { printable } = await import('../../output/printable.js');
  const { brokenInputTexts, leftOutTexts } = await import('../../report/words.js');
  for (const text of brokenInputTexts(reading)) say(io, `evfwd: ${printable(text)}`);
  if (flags.verbose)
    say(io, `read ${countOf(reading.lines, 'line')}: ${printable(reading.files.join(', '))}`);
  if (!flags.quiet) for (const text of leftOutTexts(reading)) say(io, printable(text));
}

async function noAttempts(reading: ReadSummary): Promise<EvfwdError> {
  const { printable } = await import('../../output/printable.js');
  const { brokenInputTexts, leftOutTexts } = await import('../../report/words.js');
  const found = [...brokenInputTexts(reading), ...leftOutTexts(reading)];
  const message = [`no attempts in ${reading.files.join(', ')}`, ...found].join('; ');
  const hint = 'import --log <file> writes such logs';
  return new EvfwdError('no_attempts', `${printable(message)}; ${hint}`, exitCodes.negative);
}
