/** Turns of a rate that several processes share: from `inMs` on, one every `intervalMs`. */
export interface TurnLease {
  readonly inMs: number;
  readonly turns: number;
  readonly intervalMs: number;
}
