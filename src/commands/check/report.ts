import { jsonLines } from '../../check/report/json.js';
import { reportLines } from '../../check/report/text.js';
import type { Report } from '../../check/report/model.js';
import { colors } from '../../output/text.js';
import { writeSlowly } from '../../output/write-slowly.js';
import type { Io } from '../shared/command.js';
import type { CheckFlags } from './command.js';
import { stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { formats } from '../../check/report/formats.js';
import { StateError, UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';

/** Where the width is not known, as in a file. */
const usualWidth = 80;

/** The report on standard output: for people, or as lines of JSON; for people not with `--quiet`. */
export async function printReport(
  report: Report,
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

/** A report to write. */
export interface ReportFile {
  readonly format: (typeof formats)[number];
  readonly path: string;
}

/**
 * The files of the flags. They are written at the end; their folders have to be there at the start.
 * @throws UsageError if one is not
 */
export async function reportFiles(flags: CheckFlags, cwd: string): Promise<ReportFile[]> {
  const files = formats.flatMap((format) => {
    const path = flags[format.name];
    return path === undefined ? [] : [{ format, path: resolve(cwd, path) }];
  });
  for (const file of files) {
    checkEnding(file, flags);
    await checkFolder(file);
  }
  return files;
}

/** Where the ending of a name says what is written. */
function checkEnding({ format, path }: ReportFile, flags: CheckFlags): void {
  const endings = 'endings' in format ? format.endings : undefined;
  if (!endings || endings.some((ending) => path.toLowerCase().endsWith(ending))) return;
  throw new UsageError(
    `${flagOf(format.name, flags[format.name]!)}: must end with ${endings.join(' or ')}`,
    `unknown_${format.name}`,
  );
}

async function checkFolder({ format, path }: ReportFile): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  const found = await stat(path).catch(() => undefined);
  if (folder?.isDirectory() && !found?.isDirectory()) return;
  const why = found ? 'is a folder' : 'has no folder to be written in';
  throw new UsageError(`${flagOf(format.name, path)}: ${why}; use another path`, 'not_writable');
}

/** `--junit check.xml` */
function flagOf(name: string, path: string): string {
  return `--${name} ${printable(path)}`;
}

/** @throws StateError if one cannot be written */
export async function writeReports(files: readonly ReportFile[], report: Report): Promise<void> {
  for (const { format, path } of files) {
    const text = await format.render(report, path);
    await writeFile(path, text).catch((cause: unknown) => {
      const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
      throw new StateError(`${flagOf(format.name, path)}: not written (${code})`, { cause });
    });
  }
}
