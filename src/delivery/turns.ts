import type { TurnLease } from '../turn-lease.js';

/** A turn that is later than this is not used: many late ones at once would exceed the rate. */
const maxLateMs = 100;

/** Leased turns that are left, by a monotonic clock. */
export class Turns {
  #nextAt: number;
  #left: number;
  readonly #intervalMs: number;

  constructor({ inMs, turns, intervalMs }: TurnLease, now: number) {
    this.#nextAt = now + inMs;
    this.#left = turns;
    this.#intervalMs = intervalMs;
  }

  get nextAt(): number {
    return this.#nextAt;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes up to so many turns, and returns how many there were. */
  take(turns: number): number {
    const taken = Math.min(this.#left, turns);
    this.#left -= taken;
    this.#nextAt += taken * this.#intervalMs;
    return taken;
  }

  /** Drops the turns that are too late, and returns how many. */
  dropLate(now: number): number {
    const lateMs = now - maxLateMs - this.#nextAt;
    return lateMs <= 0 ? 0 : this.take(Math.ceil(lateMs / this.#intervalMs));
  }

  toLease(now: number): TurnLease {
    return { inMs: this.#nextAt - now, turns: this.#left, intervalMs: this.#intervalMs };
  }
}
