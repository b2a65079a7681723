import type { Clock } from '../clock.js';
import type { LeaseRequest, RemainingTurns, TurnLease } from '../turn-lease.js';
import { LocalLease } from './local-lease.js';

/**
 * Shares the turns of a rate among the threads of one process: the next request gets what ended jobs did not use. Turns
 * that are returned to the store come back slowly, at 3 % above the rate (`take` in store/postgres/turns.ts).
 */
export class TurnPool {
  readonly #leaseFromStore: (request: LeaseRequest) => Promise<TurnLease>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** The next ones first. */
  readonly #remaining: LocalLease[] = [];
  #unused = 0;

  constructor(
    leaseFromStore: (request: LeaseRequest) => Promise<TurnLease>,
    clock: Pick<Clock, 'monotonic'>,
  ) {
    this.#leaseFromStore = leaseFromStore;
    this.#clock = clock;
  }

  /** The next turns: first those that ended jobs left, which may be fewer than requested, then of the store. */
  lease({ turns, unused }: LeaseRequest): Promise<TurnLease> {
    const now = this.#clock.monotonic();
    this.#unused += unused;
    // A negative number must move the schedule of the store, so the turns here are not used for it.
    for (let next = this.#remaining[0]; next && this.#unused >= 0; next = this.#remaining[0]) {
      this.#unused += next.dropLate(now);
      const lease = next.toLease(now, turns);
      next.take(lease.turns);
      if (next.count === 0) this.#remaining.shift();
      if (lease.turns > 0) return Promise.resolve(lease);
    }
    const returned = this.#unused;
    this.#unused = 0;
    return this.#leaseFromStore({ turns, unused: returned });
  }

  /** Takes what an ended job did not use. */
  release({ leases, unused }: RemainingTurns): void {
    const now = this.#clock.monotonic();
    this.#unused += unused;
    for (const lease of leases) this.#remaining.push(new LocalLease(lease, now));
    this.#remaining.sort((a, b) => a.nextAt - b.nextAt);
  }

  /** Empties the pool. Returns how many turns are to be returned to the store. */
  end(): number {
    const count = this.#remaining.splice(0).reduce((sum, turns) => sum + turns.count, this.#unused);
    this.#unused = 0;
    return Math.max(0, count);
  }
}
