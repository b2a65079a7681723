import type { Clock } from '../../clock.js';
import type { Rate } from '../../delivery/endpoint-pace.js';
import { LeasedTurns, type AskForTurns } from '../../delivery/leased-turns.js';
import type { LeaseRequest, RemainingTurns, TurnLease } from '../../turn-lease.js';

/** The turns of rates that jobs of one thread share: what one job does not use, the next one gets. */
export class SharedTurns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #runs = new Map<string | symbol, ThreadTurns>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Adds a job to those of this group, which have the same rate; it must `leave`.
   * @param ask leases turns from the host of the job; resolves to undefined when the job has ended before the response
   */
  join(group: string | symbol, perSecond: number, ask: AskForTurns): JobTurns {
    const shared = this.#runs.get(group) ?? new ThreadTurns(perSecond, this.#clock);
    this.#runs.set(group, shared);
    return new JobTurns(shared, ask, () => this.#runs.delete(group));
  }
}

interface SharingJob {
  readonly ask: AskForTurns;
  /** How many turns it will take, as far as known. */
  wanted: number;
}

/** The turns of one run in one thread. */
class ThreadTurns {
  readonly leased: LeasedTurns;
  readonly #jobs = new Set<SharingJob>();

  constructor(perSecond: number, clock: Pick<Clock, 'monotonic'>) {
    this.leased = new LeasedTurns((request) => this.#ask(request), perSecond, clock);
  }

  get wanted(): number {
    return [...this.#jobs].reduce((sum, { wanted }) => sum + wanted, 0);
  }

  join(job: SharingJob): void {
    this.#jobs.add(job);
  }

  /** Returns whether it was the last one. */
  leave(job: SharingJob): boolean {
    this.#jobs.delete(job);
    return this.#jobs.size === 0;
  }

  /** Asks the host of the first job; if that job ends before the response, the host of another one. Undefined: all have left. */
  async #ask(request: LeaseRequest): Promise<TurnLease | undefined> {
    let current = request;
    for (const job of this.#jobs) {
      const lease = await job.ask(current);
      if (lease) return lease;
      // The host of the ended job has the unused turns, and gives its response to a later job.
      current = { ...request, unused: 0 };
    }
    return undefined;
  }
}

/** The turns of one job. */
export class JobTurns implements Pick<Rate, 'turn'> {
  readonly #shared: ThreadTurns;
  readonly #job: SharingJob;
  readonly #onLastLeft: () => void;
  #isStopped = false;
  #wait: Promise<number> | undefined;

  constructor(shared: ThreadTurns, ask: AskForTurns, onLastLeft: () => void) {
    this.#shared = shared;
    this.#job = { ask, wanted: 0 };
    this.#onLastLeft = onLastLeft;
    shared.join(this.#job);
  }

  turn(wanted = Infinity): number | Promise<number> {
    if (this.#isStopped) return 0;
    this.#job.wanted = wanted;
    const wait = this.#shared.leased.turn(this.#shared.wanted);
    if (typeof wait === 'number') {
      this.#job.wanted--;
      return wait;
    }
    this.#wait = wait;
    void wait.then(() => this.#job.wanted--);
    return wait;
  }

  /** Nothing more is sent: its event does not wait any longer. */
  stop(): void {
    this.#isStopped = true;
    if (this.#wait) this.#shared.leased.withdraw(this.#wait);
  }

  /** Returns what is left if this was the last job, else undefined. */
  leave(): RemainingTurns | undefined {
    this.stop();
    if (!this.#shared.leave(this.#job)) return undefined;
    this.#onLastLeft();
    return this.#shared.leased.release();
  }
}
