/** A job that reports what is to be made durable. */
export interface ReportingJob {
  /** Reports what has ended since the last report; nothing, if nothing has. */
  report(): void;
}

/** Lets jobs of one thread that have the same name report together, so that one transaction can store it all. */
export class SharedCommits {
  readonly #jobs = new Map<string, Set<ReportingJob>>();

  join(name: string, job: ReportingJob): void {
    const jobs = this.#jobs.get(name) ?? new Set();
    this.#jobs.set(name, jobs.add(job));
  }

  leave(name: string, job: ReportingJob): void {
    const jobs = this.#jobs.get(name);
    if (jobs?.delete(job) && jobs.size === 0) this.#jobs.delete(name);
  }

  /** This job has reported: the others do so, too. */
  reported(name: string, job: ReportingJob): void {
    for (const other of this.#jobs.get(name) ?? []) if (other !== job) other.report();
  }
}
