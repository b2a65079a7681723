import { groupOf } from '../check.js';
import type { CheckReport, ReportedResult } from '../result.js';
import type { Verdict } from '../options.js';

/** The results of one group, in the order of the report. */
export interface ResultGroup {
  readonly name: string;
  readonly results: readonly ReportedResult[];
  readonly counts: Readonly<Record<Verdict, number>>;
}

export function groupsOf({ results }: Pick<CheckReport, 'results'>): ResultGroup[] {
  const names = [...new Set(results.map(({ check }) => groupOf(check)))];
  return names.map((name) => {
    const own = results.filter(({ check }) => groupOf(check) === name);
    return { name, results: own, counts: countsOf(own) };
  });
}

function countsOf(results: readonly ReportedResult[]): Record<Verdict, number> {
  const counts = { pass: 0, warn: 0, fail: 0, na: 0, info: 0 };
  for (const { verdict } of results) counts[verdict]++;
  return counts;
}
