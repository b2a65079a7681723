/** Turns of a rate that several processes share: from `inMs` on, one every `intervalMs`. */
export interface TurnLease {
  /** Negative for turns that are late. */
  readonly inMs: number;
  readonly turns: number;
  readonly intervalMs: number;
}

/** Asks for the next turns of a rate. */
export interface LeaseRequest {
  /** How many turns, at least 1; the lease may have fewer, if they are left from another job. */
  readonly turns: number;
  /**
   * Turns of earlier leases that are returned. Negative: this many were used beyond the leases, and the schedule moves on by
   * them.
   */
  readonly unused: number;
}

/** Turns that were not used when the last job that shared them ended. */
export interface RemainingTurns {
  readonly leases: readonly TurnLease[];
  /** Turns that were too late to be used. */
  readonly unused: number;
}

/** A lease has the turns of 10 ms, so that processes share each second fairly and there is not one round trip per event. */
const leasesPerSecond = 100;
const maxTurns = 1_000;

/** The turns of one lease, at most. */
export function turnsPerLease(perSecond: number): number {
  return Math.max(1, Math.min(maxTurns, Math.floor(perSecond / leasesPerSecond)));
}
