import { printable } from '../output/printable.js';
import { count, countOf, msText, percentText } from '../output/numbers.js';
import { firstLineOf } from '../output/response-text.js';
import type { Paint } from '../output/text.js';
import type { FailedDelivery } from './failed-deliveries.js';
import type { Report, UrlReport } from './report.js';
import * as words from './words.js';

/** Rows shown of each list; `--json` has them all. */
const shownRows = 10;

/** Failed events shown; the page and `--json` have more. */
const shownFailures = 5;

/** `>99.9%` */
const remarkWidth = 6;

/** A row: name, number, share or remark. */
type Row = readonly [name: string, value: string, remark: string];

interface Widths {
  readonly name: number;
  readonly value: number;
}

type Color = (text: string) => string;

/** The report for people, in aligned blocks. */
export function reportText(report: Report, paint: Paint): string {
  const blocks = [verdictRows(report), attemptRows(report), ...responseBlocks(report)];
  const widths = widthsOf(blocks.flat());
  const lines = blocks.map((rows) => rows.map((row) => rowText(row, widths, paint)));
  const parts = [
    heading(report, paint),
    ...lines,
    [latencyLine(report)],
    exampleLines(report, paint),
    urlLines(report, paint),
    failedLines(report, paint),
  ];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n');
}

function heading(report: Report, paint: Paint): string[] {
  const { number, text } = words.headline(report);
  return [paint.bold(`${number} ${text}`), paint.dim(words.timeText(report))];
}

function verdictRows({ attempts, verdicts, attemptsPerSecond }: Report): Row[] {
  return [
    ['attempts', count(attempts), words.rateText(attemptsPerSecond).padStart(remarkWidth)],
    shareRow('delivered', verdicts.delivered, attempts),
    shareRow('to be retried', verdicts.retry, attempts),
    shareRow('failed', verdicts.failed, attempts),
  ];
}

function attemptRows({ firstTries: firstAttempts, retries, unresolved, tries }: Report): Row[] {
  const rows: Row[] = [
    ['first attempts', count(firstAttempts), ''],
    ['retries', count(retries), ''],
    ['unresolved', unresolved === null ? '–' : count(unresolved), ''],
  ];
  const byNumber = tries.length > 1 ? tries.slice(0, shownRows) : [];
  return [...rows, ...byNumber.map((row) => attemptRow(row))];
}

function attemptRow({ attempt, attempts, delivered }: Report['tries'][number]): Row {
  const name = attempt === null ? 'later attempts' : `attempt ${attempt}`;
  return [name, count(attempts), `${percent(delivered / attempts)} of them delivered`];
}

function responseBlocks({ statuses, errors, attempts }: Report): Row[][] {
  const named = [
    statuses.map(({ status, attempts: some }) =>
      shareRow(words.statusText(status), some, attempts),
    ),
    errors.map(({ error, attempts: some }) =>
      shareRow(printable(error ?? 'others'), some, attempts),
    ),
  ];
  return named.filter((rows) => rows.length > 0).map((rows) => rows.slice(0, shownRows));
}

function shareRow(name: string, some: number, all: number): Row {
  return [name, count(some), percent(some / all)];
}

function percent(share: number): string {
  return percentText(share).padStart(remarkWidth);
}

function widthsOf(rows: readonly Row[]): Widths {
  return {
    name: Math.max(...rows.map(([name]) => name.length)),
    value: Math.max(...rows.map(([, value]) => value.length)),
  };
}

function rowText([name, value, remark]: Row, widths: Widths, paint: Paint): string {
  const color = colorOf(name, value, paint);
  const text = `${name.padEnd(widths.name)}  ${color(value.padStart(widths.value))}`;
  return remark === '' ? text : `${text}  ${paint.dim(remark)}`;
}

function colorOf(name: string, value: string, paint: Paint): Color {
  if (value === '0') return (text) => text;
  if (name === 'delivered') return paint.green;
  if (name === 'to be retried') return paint.yellow;
  return name === 'failed' ? paint.red : (text) => text;
}

function latencyLine({ latencyMs }: Report): string {
  const { p50, p90, p95, p99, max } = latencyMs;
  const parts = Object.entries({ p50, p90, p95, p99, max });
  return ['latency', ...parts.map(([name, ms]) => `${name} ${msText(ms)}`)].join('  ');
}

/** Empty for one URL: its numbers are those above. */
function urlLines({ urls }: Report, paint: Paint): string[] {
  if (urls.length < 2) return [];
  const lines = urls.slice(0, shownRows).flatMap((url) => urlText(url, paint));
  const more = urls.length - shownRows;
  return more > 0 ? [...lines, paint.dim(`and ${count(more)} more; --json has them all`)] : lines;
}

function urlText(url: UrlReport, paint: Paint): string[] {
  const { attempts, delivered, retry, failed, latencyMs } = url;
  const counts = `${countOf(attempts, 'attempt')}: ${count(delivered)} delivered, ${count(retry)} to be retried, ${count(failed)} failed`;
  const latency = `p50 ${msText(latencyMs.p50)}, p95 ${msText(latencyMs.p95)}`;
  return [printable(url.url ?? 'other URLs'), `  ${counts}; ${paint.dim(latency)}`];
}

/** The first line of one response per status; empty if the log has none. */
function exampleLines({ statuses }: Report, paint: Paint): string[] {
  const lines = statuses.flatMap(({ status, example }) => {
    const said = firstLineOf(example);
    return said === undefined ? [] : [`  ${words.statusText(status)}  ${paint.dim(said)}`];
  });
  if (lines.length === 0) return [];
  return [paint.bold('what the endpoint said'), ...lines.slice(0, shownRows)];
}

/** The newest few, and how to send all of them again; empty if there are none. */
function failedLines(report: Report, paint: Paint): string[] {
  const { failedDeliveries } = report;
  if (failedDeliveries.length === 0) return [];
  const lines = failedDeliveries.slice(0, shownFailures).map((failed) => failedText(failed, paint));
  const resend = `send the failed events again: ${words.resendCommand(report)}`;
  return [paint.bold('newest failed events'), ...lines, resend, paint.dim(words.deadLetterHint)];
}

function failedText(failed: FailedDelivery, paint: Paint): string {
  const said = failed.said === null ? '' : `  ${paint.dim(failed.said)}`;
  const messageId = printable(failed.messageId ?? 'without messageId');
  return `  ${messageId}  ${paint.red(printable(words.resultText(failed)))}${said}`;
}
