import { stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CheckReport } from '../../check/result.js';
import { StateError, UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import type { CheckFlags } from './command.js';

type Format = (typeof formats)[number];

/** A report to write. */
export interface ReportFile {
  readonly format: Format;
  readonly path: string;
}

/**
 * The files of the flags. They are written at the end; their folders have to be there at the start.
 * @throws UsageError if one is not
 */
export async function reportFiles(flags: CheckFlags, cwd: string): Promise<ReportFile[]> {
  const files = formats.flatMap((format) => {
    const path = flags[format];
    return path === undefined ? [] : [{ format, path: resolve(cwd, path) }];
  });
  checkBadge(flags);
  for (const { format, path } of files) await checkFolder(path, format);
  return files;
}

const formats = ['junit', 'markdown', 'html', 'sarif', 'badge'] as const;

/** The ending of its name says what it is. */
function checkBadge({ badge }: CheckFlags): void {
  if (badge === undefined || /\.(?:svg|json)$/i.test(badge)) return;
  throw new UsageError(`--badge ${printable(badge)}: must end with .svg or .json`, 'unknown_badge');
}

async function checkFolder(path: string, format: Format): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  const found = await stat(path).catch(() => undefined);
  if (folder?.isDirectory() && !found?.isDirectory()) return;
  const why = found ? 'is a folder' : 'has no folder to be written in';
  throw new UsageError(`--${format} ${printable(path)}: ${why}; use another path`, 'not_writable');
}

/** @throws StateError if one cannot be written */
export async function writeReports(
  files: readonly ReportFile[],
  report: CheckReport,
): Promise<void> {
  for (const { format, path } of files) {
    const text = await render[format](report, path);
    await writeFile(path, text).catch((cause: unknown) => {
      const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
      throw new StateError(`--${format} ${printable(path)}: not written (${code})`, { cause });
    });
  }
}

type Render = (report: CheckReport, path: string) => Promise<string>;

/** Each is loaded when it is asked for. */
const render: Readonly<Record<Format, Render>> = {
  junit: async (report) => (await import('../../check/report/junit.js')).junitReport(report),
  markdown: async (report) =>
    (await import('../../check/report/markdown.js')).markdownReport(report),
  html: async (report) => (await import('../../check/report/html.js')).htmlReport(report),
  badge: async (report, path) => {
    const { badgeJson, badgeSvg } = await import('../../check/report/badge.js');
    return /\.json$/i.test(path) ? badgeJson(report) : badgeSvg(report);
  },
  sarif: async (report) => (await import('../../check/report/sarif.js')).sarifReport(report),
};
