import { type Check, groupOf, type CheckResult } from './check.js';
import type { FixInput } from './fixes/input.js';
import type { Exchange } from './exchange.js';
import type { CheckSummary, Level, Verdict } from './options.js';

/** What is known of one check after a run. Secrets are masked. */
export interface ReportedResult {
  readonly check: Check;
  readonly level: Level;
  readonly verdict: Verdict;
  readonly message: string;
  /** `na`, although the check applies: the endpoint left it open. */
  readonly isInconclusive?: boolean | undefined;
  readonly durationMs: number;
  /** Of the request that shows it; what came back has its secrets masked. */
  readonly evidence?: Exchange | undefined;
  /** A command that repeats that request, with all headers. Undefined where curl cannot. */
  readonly curl?: string | undefined;
  /** The same for reports that are passed on: `***` for static headers. */
  readonly sharedCurl?: string | undefined;
}

/** A whole run. */
export interface CheckReport {
  /** Without its query. */
  readonly url: string;
  /** Name of the scheme; undefined without a secret. */
  readonly scheme: string | undefined;
  /** What the fixes in code are written for. */
  readonly fixes: FixInput;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** In the order of the list; after an interruption only those that were judged. */
  readonly results: readonly ReportedResult[];
  readonly summary: CheckSummary;
  /** Why the run ended early, in a sentence; undefined if it did not. */
  readonly endedEarly?: string | undefined;
  /** After an interruption, how many checks there were to judge; undefined if there was none. */
  readonly interruptedOf?: number | undefined;
  /** Requests a second that a rate limit of the endpoint left; undefined if there was none. */
  readonly slowedTo?: number | undefined;
  /** When the client certificate that was sent ends, milliseconds since 1970; undefined if there was none. */
  readonly clientCertificateEnd?: number | undefined;
  /** What could not be judged though it had to be, and why, in a sentence. If defined and nothing failed, the exit code is 2. */
  readonly incomplete?: string | undefined;
  /** Whether the endpoint accepted a valid event, or a failure explains why not. If false, the exit code is 2. */
  readonly isConclusive: boolean;
}

/** @param isStrict whether each warning is a failure */
export function verdictOf({ outcome }: CheckResult, level: Level, isStrict: boolean): Verdict {
  if (outcome === 'inconclusive' || outcome === 'notApplicable') return 'na';
  if (level === 'info' || outcome === 'noted') return 'info';
  if (outcome === 'passed') return 'pass';
  return isStrict || (outcome === 'failed' && level === 'must') ? 'fail' : 'warn';
}

const weights = { must: 3, should: 1, info: 0 } as const;

/**
 * @param hasAccepted whether the endpoint accepted a valid event; there is no score if it did not
 * @param isIncomplete whether it left open what had to be judged: without a failure, there is no score
 */
export function summaryOf(
  results: readonly ReportedResult[],
  hasAccepted: boolean,
  isIncomplete = false,
): CheckSummary {
  const counts = countsOf(results);
  const hasScore = hasAccepted && (!isIncomplete || counts.fail > 0);
  return { ...counts, score: hasScore ? scoreOf(results) : null };
}

export function countsOf(results: readonly ReportedResult[]): Record<Verdict, number> {
  const counts = { pass: 0, warn: 0, fail: 0, na: 0, info: 0 };
  for (const { verdict } of results) counts[verdict]++;
  return counts;
}

/** The weight of what passed in the weight of what was judged, in percent, rounded down. */
function scoreOf(results: readonly ReportedResult[]): number | null {
  const judged = results.filter(({ verdict }) => verdict !== 'na' && verdict !== 'info');
  const all = weightOf(judged);
  if (all === 0) return null;
  return Math.floor((weightOf(judged.filter(({ verdict }) => verdict === 'pass')) * 100) / all);
}

function weightOf(results: readonly ReportedResult[]): number {
  return results.reduce((sum, { level }) => sum + weights[level], 0);
}

/** How many ids a sentence names. */
const maxNamed = 3;

/**
 * What a run could not judge though it had to, and why, in a sentence without a period; undefined if it
 * was complete. One group of checks that are not required may be left open, unless the run ended early.
 * @param endedEarly why the run ended early, which is then the cause
 */
export function incompleteness(
  results: readonly ReportedResult[],
  endedEarly?: string,
): string | undefined {
  const open = results.filter(({ level, isInconclusive }) => isInconclusive && level !== 'info');
  const musts = open.filter(({ level }) => level === 'must');
  const groups = new Set(open.map(({ check }) => groupOf(check)));
  const isTooMuch = musts.length > 0 || groups.size > 1 || endedEarly !== undefined;
  const [first] = isTooMuch ? [...musts, ...open] : [];
  if (!first) return undefined;
  return `${namesOf([...new Set([...musts, ...open])])}: ${endedEarly ?? first.message}`;
}

function namesOf(results: readonly ReportedResult[]): string {
  const ids = results.slice(0, maxNamed).map(({ check }) => check.id);
  const more = results.length - ids.length;
  return more > 0 ? `${ids.join(', ')} and ${more} more` : ids.join(', ');
}
