import { cutTo, widthOf } from '../../output/columns.js';
import { printable } from '../../output/printable.js';
import type { Paint } from '../../output/text.js';
import type { CheckReport, CheckResult, Verdict } from '../result.js';
import { groupsOf, problemsOf, type ResultGroup } from './groups.js';
import { problemLines } from './problem-text.js';
import type { TextOptions } from './text-options.js';
import { countTexts, headline, marks, nameOf, runText, scoreText } from './words.js';

/** The report for a terminal: a table by group, the score, then what is wrong and how to fix it. */
export function reportLines(report: CheckReport, options: TextOptions): string[] {
  const problems = problemsOf(report);
  const groups = groupsOf(report);
  const column = Math.max(0, ...groups.map(({ name }) => name.length)) + 2;
  return [
    ...groups.flatMap((group) => groupLines(group, column, options)),
    '',
    ...runLines(report, options),
    ...problems.flatMap((result) => ['', ...problemLines(result, problems, options)]),
    // After the details the score is out of sight.
    ...(problems.length === 0 ? [] : ['', scoreLine(report, options)]),
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
function groupLines(group: ResultGroup, column: number, options: TextOptions): string[] {
  const { name, counts, results } = group;
  const { paint, isVerbose } = options;
  const worst = (['fail', 'warn'] as const).find((verdict) => counts[verdict] > 0) ?? 'pass';
  const isJudged = counts.pass + counts.warn + counts.fail > 0;
  const verdict = isJudged ? worst : counts.info > 0 ? 'info' : 'na';
  const shown = isVerbose ? results : results.filter((result) => result.verdict !== 'pass');
  return [
    `${marked(verdict, paint)} ${paint.bold(name.padEnd(column))}${countTexts(counts).join(', ')}`,
    ...rowsOf(shown).map((row) => rowLine(row, options)),
  ];
}

/** A line below a group: one check, or several that were not judged for the same reason. */
interface Row {
  readonly verdict: Verdict;
  readonly name: string;
  readonly message: string;
}

function rowsOf(results: readonly CheckResult[]): Row[] {
  const rows = new Map<string, Row & { count: number }>();
  for (const result of results) {
    const { verdict, message } = result;
    const key = verdict === 'na' ? message : result.check.id;
    const count = (rows.get(key)?.count ?? 0) + 1;
    rows.set(key, {
      verdict,
      message,
      count,
      name: count > 1 ? `${count} checks` : nameOf(result),
    });
  }
  return [...rows.values()];
}

const nameWidth = 18;

function rowLine({ verdict, name, message }: Row, { paint, width }: TextOptions): string {
  const start = `  ${marks[verdict]} ${name.padEnd(nameWidth)} `;
  const text = shortened(printable(message), Math.max(10, width - widthOf(start)));
  const line = `${name.padEnd(nameWidth)} ${text}`;
  return `  ${marked(verdict, paint)} ${verdict === 'na' ? paint.dim(line) : line}`;
}

/** What came stands at the end of a message, behind a colon, and is kept. */
function shortened(message: string, width: number): string {
  const end = /: [^:]{1,25}$/.exec(message)?.[0] ?? '';
  if (widthOf(message) <= width || widthOf(end) > width / 2) return cutTo(message, width);
  return cutTo(message.slice(0, message.length - end.length), width - widthOf(end)) + end;
}

function marked(verdict: Verdict, paint: Paint): string {
  return paint[colorOf[verdict]](marks[verdict]);
}

function runLines(report: CheckReport, options: TextOptions): string[] {
  const { paint } = options;
  const { endedEarly, url } = report;
  return [
    ...(endedEarly === undefined ? [] : [paint.yellow(`ended early: ${printable(endedEarly)}`)]),
    scoreLine(report, options),
    headline(report),
    paint.dim(printable(url)),
    paint.dim(runText(report)),
  ];
}

function scoreLine({ summary }: CheckReport, { paint }: TextOptions): string {
  return `${paint.bold(`score ${scoreText(summary)}`)}  ${countTexts(summary).join(', ')}`;
}
