import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { LeaseRequest } from '../../turn-lease.js';
import type { Range } from '../../sources/range.js';
import type { ItemExecution, ItemExecutionOptions } from './item-execution.js';
import type { JobEnd, JobHandle } from './job-handle.js';
import type { Job, WorkerReport } from './messages.js';

/** Starts a job somewhere. */
export type JobStarter = (job: Job, onReport: (report: WorkerReport) => void) => JobHandle;

/** The work on one item, seen from where it was started: reads its ranges, and answers its job. */
export class Execution implements ItemExecution {
  readonly #options: ItemExecutionOptions;
  readonly #handle: JobHandle;
  readonly ended: Promise<JobEnd>;
  #hasEnded = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: ItemExecutionOptions, start: JobStarter) {
    this.#options = options;
    this.#handle = start(options.job, (report) => this.#handleReport(report));
    this.ended = this.#run();
    // Who has started it may not look at it yet.
    this.ended.catch(() => undefined);
  }

  durable(rows: number): void {
    this.#handle.publish({ kind: 'durable', rows });
  }

  applyNotice(queue: number, notice: EndpointNotice): void {
    this.#handle.publish({ kind: 'notice', queue, notice });
  }

  holdReading(isHeld: boolean): void {
    this.#handle.publish({ kind: 'hold', isHeld });
  }

  stop(): void {
    this.#handle.stop();
  }

  async #run(): Promise<JobEnd> {
    // What was read before is sent, as an import of one process does with a truncated file.
    const fed = this.#handle
      .feed(() => this.#nextRange())
      .catch((error: unknown) => void (this.#failure ??= { error }));
    try {
      const end = await this.#handle.ended;
      this.#hasEnded = true;
      await fed;
      if (this.#failure) throw this.#failure.error;
      return end;
    } finally {
      await this.#options.ranges.return(undefined);
    }
  }

  async #nextRange(): Promise<Range | undefined> {
    const next = await this.#options.ranges.next();
    return next.done ? undefined : next.value;
  }

  /** Ends the work with this error, after the requests in flight. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.stop();
  }

  #handleReport(report: WorkerReport): void {
    const { onCommit, onNotice, onDown, onRefused, releaseTurns } = this.#options;
    if (report.kind === 'commit') onCommit(report);
    else if (report.kind === 'notice') onNotice(report.queue, report.notice);
    else if (report.kind === 'down') onDown(report.url, report.isDown, report.reason);
    else if (report.kind === 'refused') onRefused(report.reason);
    else if (report.kind === 'lease') this.#answer(this.#lease(report.request, report.queue));
    else if (report.kind === 'remainingTurns') releaseTurns(report.left);
    else if (report.kind === 'mayProbe') this.#answer(this.#allowProbe(report.queue));
  }

  #answer(answered: Promise<void>): void {
    answered.catch((error: unknown) => this.#fail(error));
  }

  async #lease(request: LeaseRequest, queue: number | undefined): Promise<void> {
    const lease = await this.#options.lease(request, queue);
    if (!this.#hasEnded) this.#handle.publish({ kind: 'leased', lease, queue });
    else this.#options.releaseTurns({ leases: [lease], unused: 0 }, queue);
  }

  async #allowProbe(queue: number): Promise<void> {
    const isAllowed = await this.#options.mayProbe(queue);
    this.#handle.publish({ kind: 'probe', queue, isAllowed });
  }
}
