/** Turns of a rate that several processes share: from `inMs` on, one every `intervalMs`. */
export interface TurnLease {
  /** Negative for turns that are late. */
  readonly inMs: number;
  readonly turns: number;
  readonly intervalMs: number;
}

/** What is left of leases when whoever had them ends. */
export interface LeftTurns {
  readonly leases: readonly TurnLease[];
  /** Turns that were too late to be used. */
  readonly unused: number;
}
