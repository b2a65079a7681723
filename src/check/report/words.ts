import { rateText } from '../statistics.js';
import { countOf, durationText } from '../../output/numbers.js';
import type { CheckReport, CheckResult } from '../result.js';
import type { CheckSummary, Level, Verdict } from '../options.js';

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

/** `92 of 100`, or why there is none. */
export function scoreText({ score }: CheckSummary): string {
  return score === null ? 'none' : `${score} of 100`;
}

/** The whole run in one sentence. */
export function headline({ isJudged, incomplete, summary }: CheckReport): string {
  if (!isJudged) return 'This endpoint could not be judged.';
  const { fail, warn } = summary;
  if (fail > 0) return `This endpoint fails ${countOf(fail, 'check')}.`;
  if (incomplete !== undefined) return 'This endpoint could not be judged in full.';
  if (warn > 0) return `This endpoint does all that it must, with ${countOf(warn, 'warning')}.`;
  return 'This endpoint is a good receiver.';
}

/** What limits the meaning of the whole report: a title, and a sentence without a period. */
export function caveat({
  incomplete,
  endedEarly,
  isJudged,
}: CheckReport): readonly [title: string, text: string] | undefined {
  const why = incomplete ?? (isJudged ? undefined : endedEarly);
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

/** `must, failed` */
export function verdictText({ level, verdict }: CheckResult): string {
  return `${levelNames[level]}, ${verdictNames[verdict]}`;
}

/** Where an id begins to differ from others of its group: `raw-bytes.space`. */
export function nameOf({ check: { id } }: CheckResult): string {
  return id.slice(id.indexOf('.') + 1);
}
