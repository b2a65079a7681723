/** Turns of a rate that several processes share: from `inMs` on, one every `intervalMs`. */
export interface TurnLease {
  /** Negative for turns that are late. */
  readonly inMs: number;
  readonly turns: number;
  readonly intervalMs: number;
}

/** Asks for the next turns of a rate. */
export interface LeaseRequest {
  /** At most so many. */
  readonly turns: number;
  /** Turns of earlier leases that were not used, and are returned; negative: so many were used beyond the leases. */
  readonly unused: number;
}

/** Leases that were not used up when their job ended. */
export interface RemainingTurns {
  readonly leases: readonly TurnLease[];
  /** Turns that were too late to be used. */
  readonly unused: number;
}

/** A lease is worth 10 ms, so that a second is shared fairly, but not one round trip per event. */
const leasesPerSecond = 100;
const maxTurns = 1_000;

/** The turns of one lease, at most. */
export function turnsPerLease(perSecond: number): number {
  return Math.max(1, Math.min(maxTurns, Math.floor(perSecond / leasesPerSecond)));
}
