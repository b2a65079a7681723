import type { Clock } from '../clock.js';
import type { LeftTurns, TurnLease } from '../turn-lease.js';
import { Turns } from './turns.js';

/**
 * The turns of a rate for jobs that come and go in one process: what one leaves, the next one gets. Returned to the
 * store, turns come again only at a few percent above the rate, and a short job leaves more than it uses.
 */
export class TurnPool {
  readonly #lease: (unused: number) => Promise<TurnLease>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** The next ones first. */
  readonly #left: Turns[] = [];
  #unused = 0;

  /** `lease` asks the store for the next turns, and returns those that were too late to be used. */
  constructor(lease: (unused: number) => Promise<TurnLease>, clock: Pick<Clock, 'monotonic'>) {
    this.#lease = lease;
    this.#clock = clock;
  }

  /** The next turns, of which `unused` of earlier leases were not used; negative: so many more are used up. */
  lease(unused: number): Promise<TurnLease> {
    const now = this.#clock.monotonic();
    this.#unused += unused;
    // What is used up beside the turns is of the schedule of the store.
    while (this.#unused >= 0 && this.#left.length > 0) {
      const next = this.#left.shift()!;
      this.#unused += next.dropLate(now);
      if (next.left > 0) return Promise.resolve(next.toLease(now));
    }
    const returned = this.#unused;
    this.#unused = 0;
    return this.#lease(returned);
  }

  /** Takes what a job has left. */
  leave({ leases, unused }: LeftTurns): void {
    const now = this.#clock.monotonic();
    this.#unused += unused;
    for (const lease of leases) this.#left.push(new Turns(lease, now));
    this.#left.sort((a, b) => a.nextAt - b.nextAt);
  }

  /** How many turns nobody will use. */
  end(): number {
    const left = this.#left.splice(0).reduce((sum, turns) => sum + turns.left, this.#unused);
    this.#unused = 0;
    return Math.max(0, left);
  }
}
