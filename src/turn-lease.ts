/** Turns of a rate that several processes share: from `inMs` on, one every `intervalMs`. */
export interface TurnLease {
  /** Negative for turns that are late. */
  readonly inMs: number;
  readonly turns: number;
  readonly intervalMs: number;
}

/** Leases that were not used up when their job ended. */
export interface RemainingTurns {
  readonly leases: readonly TurnLease[];
  /** Turns that were too late to be used. */
  readonly unused: number;
}
