import { countOf } from '../../output/numbers.js';
import type { Level, Verdict } from '../options.js';
import type { ReportedResult } from '../result.js';

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

/** `required, failed` */
export function verdictText({ level, verdict }: ReportedResult): string {
  return `${levelNames[level]}, ${verdictNames[verdict]}`;
}

/** Where an id begins to differ from others of its group: `raw-bytes.space`. */
export function nameOf({ check: { id } }: ReportedResult): string {
  return id.slice(id.indexOf('.') + 1);
}

/** A bare title beside the mark of a failure would read as what the endpoint does. */
export function expectation(title: string): string {
  return `A good endpoint ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}
