import { groupOf } from './check.js';
import type { CheckResult } from './result.js';

/** How many ids a sentence names. */
const maxNamed = 3;

/**
 * What a run could not judge though it had to, and why, in a sentence without a period; undefined if it
 * was complete. One group of checks that are not required may be left open, unless the run ended early.
 * @param endedEarly why the run ended early, which is then the cause
 */
export function incompleteness(
  results: readonly CheckResult[],
  endedEarly?: string,
): string | undefined {
  const open = results.filter(({ level, isLeftOpen }) => isLeftOpen && level !== 'info');
  const musts = open.filter(({ level }) => level === 'must');
  const groups = new Set(open.map(({ check }) => groupOf(check)));
  const isTooMuch = musts.length > 0 || groups.size > 1 || endedEarly !== undefined;
  const [first] = isTooMuch ? [...musts, ...open] : [];
  if (!first) return undefined;
  return `${namesOf([...new Set([...musts, ...open])])}: ${endedEarly ?? first.message}`;
}

function namesOf(results: readonly CheckResult[]): string {
  const ids = results.slice(0, maxNamed).map(({ check }) => check.id);
  const more = results.length - ids.length;
  return more > 0 ? `${ids.join(', ')} and ${more} more` : ids.join(', ');
}
