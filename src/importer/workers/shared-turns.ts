import type { Clock } from '../../clock.js';
import type { Rate } from '../../delivery/endpoint-pace.js';
import { LeasedTurns, type AskForTurns } from '../../delivery/leased-turns.js';
import type { LeaseRequest, RemainingTurns, TurnLease } from '../../turn-lease.js';

/** The turns of rates that jobs of one thread share, so that what one job does not use is of the next. */
export class SharedTurns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #runs = new Map<string | symbol, TurnsOfRun>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Joins the jobs of the same name, which have the same rate. The returned turns must `leave`.
   * @param ask asks the host of the job; undefined when the job has left before the response
   */
  join(name: string | symbol, perSecond: number, ask: AskForTurns): JobTurns {
    const run = this.#runs.get(name) ?? new TurnsOfRun(perSecond, this.#clock);
    this.#runs.set(name, run);
    return new JobTurns(run, ask, () => this.#runs.delete(name));
  }
}

interface JobOfRun {
  readonly ask: AskForTurns;
  /** How many turns it will take, as far as known. */
  wanted: number;
}

class TurnsOfRun {
  readonly leased: LeasedTurns;
  /** The host of the first is asked. */
  readonly #jobs = new Set<JobOfRun>();
  readonly #awaitingJob: (() => void)[] = [];

  constructor(perSecond: number, clock: Pick<Clock, 'monotonic'>) {
    this.leased = new LeasedTurns((request) => this.#ask(request), perSecond, clock);
  }

  get wanted(): number {
    return [...this.#jobs].reduce((sum, { wanted }) => sum + wanted, 0);
  }

  join(job: JobOfRun): void {
    this.#jobs.add(job);
    for (const ask of this.#awaitingJob.splice(0)) ask();
  }

  /** Returns whether it was the last one. */
  leave(job: JobOfRun): boolean {
    this.#jobs.delete(job);
    return this.#jobs.size === 0;
  }

  async #ask(request: LeaseRequest): Promise<TurnLease> {
    for (let { unused } = request; ;) {
      const [first] = this.#jobs;
      if (first) {
        const lease = await first.ask({ ...request, unused });
        if (lease) return lease;
        // The unused turns are returned; the response is of the next job that the host starts.
        unused = 0;
      } else await new Promise<void>((resolve) => this.#awaitingJob.push(resolve));
    }
  }
}

/** The turns of one job. */
export class JobTurns implements Rate {
  readonly #run: TurnsOfRun;
  readonly #job: JobOfRun;
  readonly #onLast: () => void;
  #isStopped = false;
  #stopWaiting: () => void = () => undefined;

  constructor(run: TurnsOfRun, ask: AskForTurns, onLast: () => void) {
    this.#run = run;
    this.#job = { ask, wanted: 0 };
    this.#onLast = onLast;
    run.join(this.#job);
  }

  turn(wanted = Infinity): number | Promise<number> {
    if (this.#isStopped) return 0;
    this.#job.wanted = wanted;
    const wait = this.#run.leased.turn(this.#run.wanted);
    if (typeof wait === 'number') {
      this.#job.wanted--;
      return wait;
    }
    return new Promise((resolve) => {
      this.#stopWaiting = () => resolve(0);
      void wait.then((waitMs) => {
        this.#job.wanted--;
        resolve(waitMs);
      });
    });
  }

  skip(turns: number): void {
    this.#run.leased.skip(turns);
  }

  /** Nothing more is sent: its event does not wait any longer. */
  stop(): void {
    this.#isStopped = true;
    this.#stopWaiting();
  }

  /** The last job of the run returns what is left. */
  leave(): RemainingTurns | undefined {
    this.stop();
    if (!this.#run.leave(this.#job)) return undefined;
    this.#onLast();
    return this.#run.leased.release();
  }
}
