import type { CheckResult } from './result.js';
import type { CheckSummary } from './options.js';

const weights = { must: 3, should: 1, info: 0 } as const;

/**
 * @param hasAccepted whether the endpoint accepted a valid event; there is no score if it did not
 * @param isIncomplete whether it left open what had to be judged: without a failure, there is no score
 */
export function summaryOf(
  results: readonly CheckResult[],
  hasAccepted: boolean,
  isIncomplete = false,
): CheckSummary {
  const counts = { pass: 0, warn: 0, fail: 0, na: 0, info: 0 };
  for (const { verdict } of results) counts[verdict]++;
  const hasScore = hasAccepted && (!isIncomplete || counts.fail > 0);
  return { ...counts, score: hasScore ? scoreOf(results) : null };
}

/** The weight of what passed in the weight of what was judged, in percent, rounded down. */
function scoreOf(results: readonly CheckResult[]): number | null {
  const judged = results.filter(({ verdict }) => verdict !== 'na' && verdict !== 'info');
  const all = weightOf(judged);
  if (all === 0) return null;
  return Math.floor((weightOf(judged.filter(({ verdict }) => verdict === 'pass')) * 100) / all);
}

function weightOf(results: readonly CheckResult[]): number {
  return results.reduce((sum, { level }) => sum + weights[level], 0);
}
