import type { Verdict } from '../delivery/outcome.js';

/** Attempts by verdict; `attempts` is their sum. */
export interface VerdictCounts {
  readonly attempts: number;
  readonly delivered: number;
  readonly retry: number;
  readonly failed: number;
}

/** A `VerdictCounts` while it grows. */
export class Counts {
  delivered = 0;
  retry = 0;
  failed = 0;

  add(verdict: Verdict): void {
    this[verdict]++;
  }

  merge(other: Counts): void {
    this.delivered += other.delivered;
    this.retry += other.retry;
    this.failed += other.failed;
  }

  values(): VerdictCounts {
    const { delivered, retry, failed } = this;
    return { attempts: delivered + retry + failed, delivered, retry, failed };
  }
}
