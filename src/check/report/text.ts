import { cutTo, widthOf, wrapped } from '../../output/columns.js';
import { printable } from '../../output/printable.js';
import type { Paint } from '../../output/text.js';
import type { CheckReport, CheckResult } from '../result.js';
import { findingsOf } from './findings.js';
import { groupsOf, type ResultGroup } from './groups.js';
import { adviceLines, findingLines } from './finding-text.js';
import type { TextOptions } from './text-options.js';
import { caveat, countTexts, headline, marks, nameOf, runText, scoreText } from './words.js';
import type { Verdict } from '../options.js';

/** The report for a terminal: a table by group, the score, then what is wrong and how to fix it. */
export function reportLines(report: CheckReport, options: TextOptions): string[] {
  const findings = findingsOf(report);
  const groups = groupsOf(report);
  const column = Math.max(0, ...groups.map(({ name }) => name.length)) + 2;
  return [
    ...groups.flatMap((group) => groupLines(group, column, report, options)),
    '',
    ...runLines(report, options),
    ...findings.flatMap((finding) => [
      '',
      ...findingLines(finding, findings, report.fixes, options),
    ]),
    ...(findings.length === 0 ? [] : adviceLines(options)),
    // After the details the score is out of sight.
    ...(findings.length === 0 ? [] : ['', scoreLine(report, options)]),
  ];
}

const colorOf: Readonly<Record<Verdict, keyof Paint>> = {
  fail: 'red',
  warn: 'yellow',
  pass: 'green',
  na: 'dim',
  info: 'dim',
};

/** `sign      14 passed`, and a line for each check that did not pass. */
function groupLines(
  group: ResultGroup,
  column: number,
  { endedEarly }: CheckReport,
  options: TextOptions,
): string[] {
  const { name, counts, results } = group;
  const { paint, isVerbose } = options;
  const worst = (['fail', 'warn'] as const).find((verdict) => counts[verdict] > 0) ?? 'pass';
  const isJudged = counts.pass + counts.warn + counts.fail > 0;
  const verdict = isJudged ? worst : counts.info > 0 ? 'info' : 'na';
  const shown = isVerbose ? results : results.filter((result) => result.verdict !== 'pass');
  return [
    `${marked(verdict, paint)} ${paint.bold(name.padEnd(column))}${countTexts(counts).join(', ')}`,
    // Why a run ended stands below the table, once.
    ...rowsOf(shown.filter(({ message }) => isVerbose || message !== endedEarly)).flatMap((row) =>
      rowLines(row, options),
    ),
  ];
}

/** A line below a group: one check, or several of one cause, or that were not judged for the same reason. */
interface Row {
  readonly verdict: Verdict;
  readonly name: string;
  readonly message: string;
}

function rowsOf(results: readonly CheckResult[]): Row[] {
  const rows = new Map<string, CheckResult[]>();
  for (const result of results) {
    const { verdict, message, check } = result;
    const key = verdict === 'na' ? message : (sharedCause(result, results) ?? check.id);
    rows.set(key, [...(rows.get(key) ?? []), result]);
  }
  return [...rows.values()].map((own) => rowOf(own));
}

/** `raw-bytes.space +4`, or `6 checks` that were not judged. */
function rowOf(results: readonly CheckResult[]): Row {
  const first = results[0]!;
  const { verdict, message } = first;
  if (results.length === 1) return { verdict, message, name: nameOf(first) };
  const shared = `${nameOf(first)} +${results.length - 1}`;
  return { verdict, message, name: verdict === 'na' ? `${results.length} checks` : shared };
}

/** Undefined with `--verbose`, where those that passed are shown as well. */
function sharedCause(
  { check, verdict }: CheckResult,
  shown: readonly CheckResult[],
): string | undefined {
  const hasPassed = shown.some((one) => one.verdict === 'pass');
  return check.cause === undefined || hasPassed ? undefined : `${verdict} ${check.cause}`;
}

const nameWidth = 18;
/** A mark with the spaces around it. */
const markWidth = 4;

/** A message is wrapped, since what was received stands at its end. */
function rowLines({ verdict, name, message }: Row, { paint, width }: TextOptions): string[] {
  const indent = ' '.repeat(markWidth);
  const nameColumn = Math.max(nameWidth + 1, widthOf(name) + 2);
  const columns = Math.max(20, width - markWidth - nameColumn);
  const lines = wrapped(printable(message), columns).map((line) => cutTo(line, columns));
  return lines.map((text, i) => {
    const line = (i === 0 ? name : '').padEnd(nameColumn) + text;
    const start = i === 0 ? `  ${marked(verdict, paint)} ` : indent;
    return start + (verdict === 'na' ? paint.dim(line) : line);
  });
}

function marked(verdict: Verdict, paint: Paint): string {
  return paint[colorOf[verdict]](marks[verdict]);
}

function runLines(report: CheckReport, options: TextOptions): string[] {
  const { paint } = options;
  const { url } = report;
  const [title, text] = caveat(report) ?? [];
  return [
    ...(text === undefined ? [] : [paint.yellow(`${title!.toLowerCase()}: ${printable(text)}`)]),
    scoreLine(report, options),
    headline(report),
    paint.dim(printable(url)),
    paint.dim(runText(report)),
  ];
}

function scoreLine(report: CheckReport, { paint }: TextOptions): string {
  return `${paint.bold(`score ${scoreText(report)}`)}  ${countTexts(report.summary).join(', ')}`;
}
