import type { TurnLease } from '../turn-lease.js';

/** A turn that is later than this is not used: many late ones at once would exceed the rate. */
const maxLateMs = 100;

/** A lease by the monotonic clock of this process, and how many of its turns remain. */
export class LocalLease {
  #nextAt: number;
  #count: number;
  readonly #intervalMs: number;

  constructor({ inMs, turns, intervalMs }: TurnLease, now: number) {
    this.#nextAt = now + inMs;
    this.#count = turns;
    this.#intervalMs = intervalMs;
  }

  get nextAt(): number {
    return this.#nextAt;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes up to so many turns, and returns how many there were. */
  take(turns: number): number {
    const taken = Math.min(this.#count, turns);
    this.#count -= taken;
    this.#nextAt += taken * this.#intervalMs;
    return taken;
  }

  /** Drops the turns that are too late, and returns how many. */
  dropLate(now: number): number {
    const lateMs = now - maxLateMs - this.#nextAt;
    return lateMs <= 0 ? 0 : this.take(Math.ceil(lateMs / this.#intervalMs));
  }

  /** Its next turns, all or up to `most`, without taking them. */
  toLease(now: number, most = Infinity): TurnLease {
    const turns = Math.min(this.#count, most);
    return { inMs: this.#nextAt - now, turns, intervalMs: this.#intervalMs };
  }
}
