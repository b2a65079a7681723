import type { Clock } from '../../clock.js';

/** A job that this process holds. */
export interface HeldJob<T extends object = object> {
  readonly id: string;
  /** How often it was taken before. Whoever takes it next has another one. */
  readonly attempt: number;
  readonly data: T;
  /** Aborted when another process may hold it: whatever is done for it must end. */
  readonly lost: AbortSignal;
}

interface Entry {
  readonly queue: string;
  readonly job: HeldJob;
  readonly abort: AbortController;
  readonly leaseMs: number;
  /** Until then nobody else can have it, in milliseconds of the monotonic clock. */
  leaseUntil: number;
  /** A transaction that removes it is open: its row is locked. */
  isBeingRemoved: boolean;
}

const checkEveryMs = 250;
const touchEveryMs = 2_500;
/** Before the server gives a job away, whatever the precision of timers. */
const marginMs = 500;

/** Keeps the leases of all jobs that this process holds, and knows when they have ended. */
export class HeldJobs {
  readonly #clock: Clock;
  readonly #touch: (queue: string, jobs: readonly HeldJob[]) => Promise<HeldJob[]>;
  readonly #entries = new Map<HeldJob, Entry>();
  readonly #touching = new Set<string>();
  readonly #touchedAt = new Map<string, number>();
  #cancel: () => void = () => undefined;
  #isStopped = false;

  /** @param touch extends the lease of jobs of a queue, and returns those that were ours */
  constructor(
    clock: Clock,
    touch: (queue: string, jobs: readonly HeldJob[]) => Promise<HeldJob[]>,
  ) {
    this.#clock = clock;
    this.#touch = touch;
  }

  start(): void {
    const next = (): void => {
      this.#check();
      if (!this.#isStopped) this.start();
    };
    this.#cancel = this.#clock.after(checkEveryMs, next, { keepsAlive: false });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    for (const entry of [...this.#entries.values()]) this.#lose(entry);
  }

  /** @param sentAt when it was asked for: the lease does not begin before */
  add<T extends object>(
    queue: string,
    taken: Omit<HeldJob<T>, 'lost'>,
    sentAt: number,
    leaseMs: number,
  ): HeldJob<T> {
    // One that it has lost without knowing, and has taken again itself: the server names jobs by their ids.
    for (const entry of [...this.#entries.values()])
      if (entry.job.id === taken.id) this.#lose(entry);
    const abort = new AbortController();
    const job: HeldJob<T> = { ...taken, lost: abort.signal };
    const leaseUntil = sentAt + leaseMs - marginMs;
    this.#entries.set(job, { queue, job, abort, leaseMs, leaseUntil, isBeingRemoved: false });
    if (!this.#touchedAt.has(queue)) this.#touchedAt.set(queue, sentAt);
    return job;
  }

  /** A transaction is about to remove them: they must not be touched meanwhile. */
  beginRemoval(jobs: readonly HeldJob[]): void {
    for (const job of jobs) this.#mark(job, true);
  }

  /** That transaction has ended. */
  endRemoval(jobs: readonly HeldJob[], isCommitted: boolean): void {
    if (isCommitted) this.forget(jobs);
    else for (const job of jobs) this.#mark(job, false);
  }

  /** They are no longer held, and not lost. */
  forget(jobs: readonly HeldJob[]): void {
    for (const job of jobs) this.#entries.delete(job);
  }

  /** Other processes hold them. */
  lose(jobs: readonly HeldJob[]): void {
    for (const job of jobs) {
      const entry = this.#entries.get(job);
      if (entry) this.#lose(entry);
    }
  }

  #mark(job: HeldJob, isBeingRemoved: boolean): void {
    const entry = this.#entries.get(job);
    if (entry) entry.isBeingRemoved = isBeingRemoved;
  }

  /** After a pause of this process, the leases have ended before anything is touched. */
  #check(): void {
    const now = this.#clock.monotonic();
    const queues = new Map<string, Entry[]>();
    for (const entry of [...this.#entries.values()]) {
      if (now >= entry.leaseUntil) this.#lose(entry);
      else if (!entry.isBeingRemoved) {
        const others = queues.get(entry.queue);
        if (others) others.push(entry);
        else queues.set(entry.queue, [entry]);
      }
    }
    for (const [queue, entries] of queues) {
      // A touch that waits for the server would be followed by many.
      if (this.#touching.has(queue)) continue;
      if (now - (this.#touchedAt.get(queue) ?? -Infinity) >= touchEveryMs) {
        void this.#extend(queue, entries).catch(() => undefined);
      }
    }
  }

  async #extend(queue: string, entries: readonly Entry[]): Promise<void> {
    this.#touching.add(queue);
    const sentAt = this.#clock.monotonic();
    this.#touchedAt.set(queue, sentAt);
    try {
      const ours = new Set(
        await this.#touch(
          queue,
          entries.map(({ job }) => job),
        ),
      );
      for (const entry of entries) {
        if (ours.has(entry.job)) entry.leaseUntil = sentAt + entry.leaseMs - marginMs;
        else if (!entry.isBeingRemoved) this.#lose(entry);
      }
    } finally {
      this.#touching.delete(queue);
    }
  }

  #lose(entry: Entry): void {
    if (!this.#entries.delete(entry.job)) return;
    entry.abort.abort(new Error('the job may be in the hands of another process'));
  }
}
