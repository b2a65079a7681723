/** A job whose outcomes wait to be committed. */
export interface FlushableJob {
  /** Commits what has ended since its last commit, if that is enough. */
  flush(): void;
}

/** Lets the jobs of one group in a thread commit at the same time, so that few transactions store it all. */
export class SharedFlush {
  readonly #groups = new Map<string, Set<FlushableJob>>();
  #isFlushing = false;

  join(group: string, job: FlushableJob): void {
    const jobs = this.#groups.get(group) ?? new Set();
    this.#groups.set(group, jobs.add(job));
  }

  leave(group: string, job: FlushableJob): void {
    const jobs = this.#groups.get(group);
    if (jobs?.delete(job) && jobs.size === 0) this.#groups.delete(group);
  }

  /** Called by a job with its commits, those of `flush` included. */
  flushOthers(group: string, job: FlushableJob): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      for (const other of this.#groups.get(group) ?? []) if (other !== job) other.flush();
    } finally {
      this.#isFlushing = false;
    }
  }
}
