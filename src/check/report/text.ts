import { cutTo, widthOf, wrapped } from '../../output/columns.js';
import { printable } from '../../output/printable.js';
import type { Paint } from '../../output/text.js';
import type { Verdict } from '../options.js';
import type { ReportedResult } from '../result.js';
import { adviceLines, findingLines, type TextOptions } from './finding-text.js';
import type { Finding, Report, ResultGroup } from './model.js';
import { countTexts, marks, nameOf } from './words.js';

/** The report for a terminal: a table by group, the score, then what is wrong and how to fix it. */
export function reportLines(report: Report, options: TextOptions): string[] {
  const { findings } = report;
  return [
    ...tableLines(report, options),
    '',
    ...runLines(report, options),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, options)]),
    ...adviceLines(findings.length > 0, options),
    // After the details the score is out of sight.
    ...(findings.length === 0 ? [] : ['', scoreLine(report, options)]),
  ];
}

/** A line for each group; of a run that could not judge anything, none for those of which nothing is known. */
function tableLines({ run, groups: all, findings }: Report, options: TextOptions): string[] {
  const { isVerbose } = options;
  const groups = all
    .filter(({ counts, results }) => isVerbose || run.isConclusive || counts.na < results.length)
    .map((group) => {
      if (isVerbose)
        return { group, rows: group.results.flatMap((result) => rowsOf([result], [])) };
      const shown = group.results.filter((result) => isShown(result, run.endedEarly));
      return { group, rows: rowsOf(shown, findings) };
    });
  const column = Math.max(0, ...groups.map(({ group }) => group.name.length)) + 2;
  const nameColumn = nameColumnOf(groups.flatMap(({ rows }) => rows));
  return groups.flatMap(({ group, rows }) => groupLines(group, column, rows, nameColumn, options));
}

const colorOf: Readonly<Record<Verdict, keyof Paint>> = {
  fail: 'red',
  warn: 'yellow',
  pass: 'green',
  na: 'dim',
  info: 'dim',
};

/** `sign      14 passed`, and a line for each check that has to be looked at. */
function groupLines(
  { name, counts }: ResultGroup,
  column: number,
  rows: readonly Row[],
  nameColumn: number,
  options: TextOptions,
): string[] {
  const { paint } = options;
  const worst = (['fail', 'warn'] as const).find((verdict) => counts[verdict] > 0) ?? 'pass';
  const isConclusive = counts.pass + counts.warn + counts.fail > 0;
  const verdict = isConclusive ? worst : counts.info > 0 ? 'info' : 'na';
  return [
    `${marked(verdict, paint)} ${paint.bold(name.padEnd(column))}${countTexts(counts).join(', ')}`,
    ...rows.flatMap((row) => rowLines(row, nameColumn, options)),
  ];
}

/** A line below a group: one check, or several of one finding, or that were not judged for the same reason. */
interface Row {
  readonly verdict: Verdict;
  readonly name: string;
  readonly message: string;
}

/** Without `--verbose`: what is to be fixed, and what the endpoint left open. Why a run ended stands below. */
function isShown(
  { verdict, isInconclusive, message }: ReportedResult,
  endedEarly?: string,
): boolean {
  if (verdict === 'fail' || verdict === 'warn') return true;
  return isInconclusive === true && message !== endedEarly;
}

function rowsOf(results: readonly ReportedResult[], findings: readonly Finding[]): Row[] {
  const rows = new Map<unknown, ReportedResult[]>();
  for (const result of results) {
    const finding = findings.find((one) => one.results.includes(result));
    const key = finding ?? (result.verdict === 'na' ? result.message : result);
    rows.set(key, [...(rows.get(key) ?? []), result]);
  }
  return [...rows.values()].map(rowOf);
}

/** `raw-bytes.space (5)`, or `6 checks` that were not judged. */
function rowOf(results: readonly ReportedResult[]): Row {
  const first = results[0]!;
  const { verdict, message } = first;
  if (results.length === 1) return { verdict, message, name: nameOf(first) };
  const shared = `${nameOf(first)} (${results.length})`;
  return { verdict, message, name: verdict === 'na' ? `${results.length} checks` : shared };
}

const [minNameWidth, maxNameWidth] = [17, 23];

/** Of all rows, so that their messages begin in one column. */
function nameColumnOf(rows: readonly Row[]): number {
  const longest = Math.max(minNameWidth, ...rows.map(({ name }) => widthOf(name)));
  return Math.min(maxNameWidth, longest) + 2;
}

/** A mark with the spaces around it. */
const markWidth = 4;

/** A message is wrapped, since what was received stands at its end. */
function rowLines(
  { verdict, name, message }: Row,
  nameColumn: number,
  { paint, width }: TextOptions,
): string[] {
  const indent = ' '.repeat(markWidth);
  const own = Math.max(nameColumn, widthOf(name) + 2);
  const columns = Math.max(20, width - markWidth - own);
  const lines = wrapped(printable(message), columns).map((line) => cutTo(line, columns));
  return lines.map((text, i) => {
    const line = (i === 0 ? name : '').padEnd(own) + text;
    const start = i === 0 ? `  ${marked(verdict, paint)} ` : indent;
    return start + (verdict === 'na' ? paint.dim(line) : line);
  });
}

function marked(verdict: Verdict, paint: Paint): string {
  return paint[colorOf[verdict]](marks[verdict]);
}

function runLines(report: Report, options: TextOptions): string[] {
  const { paint, width } = options;
  const { run, caveat, headline, about } = report;
  const limits = caveat
    ? wrapped(printable(`${caveat.title.toLowerCase()}: ${caveat.text}`), width)
    : [];
  return [
    ...limits.map(paint.yellow),
    scoreLine(report, options),
    headline,
    paint.dim(printable(run.url)),
    paint.dim(about),
    ...clientCertificateLines(report, options),
    ...hintLines(report, options),
  ];
}

function clientCertificateLines({ clientCertificate }: Report, { paint }: TextOptions): string[] {
  if (!clientCertificate) return [];
  const { text, isEnding } = clientCertificate;
  return [isEnding ? paint.yellow(`warning: ${text}`) : paint.dim(text)];
}

/** What the table leaves out. */
function hintLines({ run }: Report, { isVerbose, paint }: TextOptions): string[] {
  const { summary, scheme, isConclusive } = run;
  const isHidden = !isVerbose && summary.na + summary.info > 0;
  return [
    ...(scheme === undefined && isConclusive
      ? ['signatures were not checked; pass the secret with --secret-file']
      : []),
    ...(isHidden ? ['--verbose lists what was not judged, and why'] : []),
  ].map(paint.dim);
}

function scoreLine({ score, counts }: Report, { paint }: TextOptions): string {
  return `${paint.bold(`score ${score}`)}  ${counts}`;
}
