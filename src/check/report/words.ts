import { findingsOf } from './findings.js';
import { rateText } from '../statistics.js';
import { countOf, durationText } from '../../output/numbers.js';
import type { CheckReport, ReportedResult } from '../result.js';
import type { Level, Verdict } from '../options.js';

/** The mark of a verdict; it says the same as its color. */
export const marks: Readonly<Record<Verdict, string>> = {
  pass: '✓',
  warn: '!',
  fail: '✗',
  na: '–',
  info: 'i',
};

/** The verdict of one check in a word or two. */
export const verdictNames: Readonly<Record<Verdict, string>> = {
  pass: 'passed',
  warn: 'warning',
  fail: 'failed',
  na: 'not judged',
  info: 'information',
};

export const levelNames: Readonly<Record<Level, string>> = {
  must: 'required',
  should: 'recommended',
  info: 'information',
};

/** Verdicts in the order in which they matter. */
const order: readonly Verdict[] = ['fail', 'warn', 'pass', 'na', 'info'];

/** `1 failed`, `2 warnings`, `50 passed`, …; without zeros. */
export function countTexts(counts: Readonly<Record<Verdict, number>>): string[] {
  return order.filter((verdict) => counts[verdict] > 0).map((v) => countText(v, counts[v]));
}

export function countText(verdict: Verdict, count: number): string {
  if (verdict === 'warn') return countOf(count, 'warning');
  return `${count} ${verdict === 'info' ? 'info' : verdictNames[verdict]}`;
}

/** `92 of 100`, with `so far` after an interruption, or `none`. */
export function scoreText({ summary: { score }, interruptedOf }: CheckReport): string {
  if (score === null) return 'none';
  return interruptedOf === undefined ? `${score} of 100` : `${score} of 100 so far`;
}

/** The whole run in one sentence. */
export function headline(report: CheckReport): string {
  const { isConclusive, incomplete, summary, interruptedOf } = report;
  if (!isConclusive && interruptedOf === undefined) return 'This endpoint could not be judged.';
  const { fail, warn } = summary;
  if (fail > 0) return `This endpoint fails ${countOf(fail, 'check')}${reasonsText(report)}.`;
  if (incomplete !== undefined || interruptedOf !== undefined)
    return 'This endpoint was not judged in full.';
  if (warn > 0) return `This endpoint does all that is required, with ${countOf(warn, 'warning')}.`;
  return 'This endpoint is a good receiver.';
}

/** `, all for one reason`, where a finding has several checks. */
function reasonsText(report: CheckReport): string {
  const failing = findingsOf(report).filter(({ first }) => first.verdict === 'fail');
  if (failing.length === report.summary.fail) return '';
  return failing.length === 1 ? ', all for one reason' : `, for ${failing.length} reasons`;
}

/** What limits the meaning of the whole report: a title, and a sentence without a period. */
export function caveat({
  incomplete,
  endedEarly,
  isConclusive,
  interruptedOf,
  results,
}: CheckReport): readonly [title: string, text: string] | undefined {
  if (interruptedOf !== undefined) {
    return ['Interrupted', `the score stands after ${results.length} of ${interruptedOf} checks`];
  }
  const why = incomplete ?? (isConclusive ? undefined : endedEarly);
  if (why !== undefined) return ['Could not be judged', why];
  return endedEarly === undefined ? undefined : ['Ended early', endedEarly];
}

/** `63 checks in 12 s`, with the scheme and the time at which the run began. */
export function runText(report: CheckReport): string {
  const { results, durationMs, scheme, startedAt, slowedTo } = report;
  const time = new Date(startedAt).toISOString().slice(0, 16).replace('T', ' ');
  const signed = scheme === undefined ? 'not signed' : `signed as ${scheme}`;
  const pace =
    slowedTo === undefined ? '' : ` (slowed down to ${rateText(slowedTo)} by its rate limit)`;
  return `${countOf(results.length, 'check')} in ${durationText(durationMs / 1000)}${pace}, ${signed}, ${time} UTC`;
}

/** `required, failed` */
export function verdictText({ level, verdict }: ReportedResult): string {
  return `${levelNames[level]}, ${verdictNames[verdict]}`;
}

/** Where an id begins to differ from others of its group: `raw-bytes.space`. */
export function nameOf({ check: { id } }: ReportedResult): string {
  return id.slice(id.indexOf('.') + 1);
}
