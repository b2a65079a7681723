import type { RunCounts } from '../ledger/summary.js';
import { count, countOf } from '../output/numbers.js';

/** A limit of failures: a number of events, or a share of those that have ended. */
export type FailureLimit = { readonly events: number } | { readonly share: number };

/** Without `--stop-after`: a run that has delivered nothing ends after this many failures. */
const hopelessFailures = 1_000;
/** A share of fewer events says little. */
const minEnded = 100;

/**
 * `--stop-after`: whether this run should end because too many of its events were rejected or failed. Events
 * that wait for a retry are not failures.
 */
export class StopRule {
  readonly #limit: FailureLimit | undefined;
  #reason: string | undefined;

  constructor(limit: FailureLimit | undefined) {
    this.#limit = limit;
  }

  /** Why the run was ended; undefined if it was not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Checks the counts; true once, when the run is to end. */
  check(counts: Pick<RunCounts, 'count'>): boolean {
    if (this.#reason !== undefined) return false;
    const delivered = counts.count('delivered');
    const failures = counts.count('rejected') + counts.count('failed');
    this.#reason = reasonFor(this.#limit, failures, delivered + failures);
    return this.#reason !== undefined;
  }
}

function reasonFor(
  limit: FailureLimit | undefined,
  failures: number,
  ended: number,
): string | undefined {
  if (!limit) {
    const isHopeless = failures === ended && failures >= hopelessFailures;
    return isHopeless ? `none of the first ${count(failures)} was delivered` : undefined;
  }
  if ('events' in limit) {
    if (failures <= limit.events) return undefined;
    return `${countOf(failures, 'was', 'were')} rejected or failed (--stop-after ${limit.events})`;
  }
  if (ended < minEnded || failures <= limit.share * ended) return undefined;
  const percent = Number((limit.share * 100).toFixed(6));
  return `${count(failures)} of ${count(ended)} were rejected or failed (--stop-after ${percent}%)`;
}
