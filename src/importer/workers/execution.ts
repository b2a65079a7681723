import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { LeaseRequest, TurnLease } from '../../turn-lease.js';
import type { Range } from '../../sources/range.js';
import type { ItemExecution, ItemExecutionOptions } from './item-execution.js';
import type { JobEnd, JobHandle } from './job-handle.js';
import type { Job, WorkerReport } from './messages.js';

/** Starts a job somewhere. */
export type JobStarter = (job: Job, onReport: (report: WorkerReport) => void) => JobHandle;

/** How many leases can be on their way to a job, with a margin: `LeasedTurns` asks for up to nine. */
const leasesOnTheirWay = 16;

/** The work on one item, seen from where it was started: reads its ranges, and answers its job. */
export class Execution implements ItemExecution {
  readonly #options: ItemExecutionOptions;
  readonly #handle: JobHandle;
  readonly ended: Promise<JobEnd>;
  #hasEnded = false;
  #hasLeftTurns = false;
  /** Requests for turns of the run that the host has not answered. */
  #openRequests = 0;
  /** The last leases of the run that were published. */
  readonly #lastLeases: TurnLease[] = [];
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
    const { onCommit, onNotice, onDown, onRefused } = this.#options;
    if (report.kind === 'commit') onCommit(report);
    else if (report.kind === 'notice') onNotice(report.queue, report.notice);
    else if (report.kind === 'down') onDown(report.url, report.isDown, report.reason);
    else if (report.kind === 'refused') onRefused(report.reason);
    else if (report.kind === 'lease') this.#answer(this.#lease(report.request, report.queue));
    else if (report.kind === 'leftTurns') this.#releaseTurns(report);
    else if (report.kind === 'mayProbe') this.#answer(this.#allowProbe(report.queue));
  }

  #answer(answered: Promise<void>): void {
    answered.catch((error: unknown) => this.#fail(error));
  }

  async #lease(request: LeaseRequest, queue: number | undefined): Promise<void> {
    if (queue !== undefined) return this.#leaseOfUrl(request, queue);
    this.#openRequests++;
    const lease = await this.#options.lease(request);
    this.#openRequests--;
    if (this.#hasLeftTurns || this.#hasEnded) {
      this.#options.releaseTurns({ leases: [lease], unused: 0 });
      return;
    }
    this.#handle.publish({ kind: 'leased', lease });
    this.#lastLeases.push(lease);
    if (this.#lastLeases.length > leasesOnTheirWay) this.#lastLeases.shift();
  }

  async #leaseOfUrl(request: LeaseRequest, queue: number): Promise<void> {
    const lease = await this.#options.lease(request, queue);
    if (!this.#hasEnded) this.#handle.publish({ kind: 'leased', lease, queue });
    else this.#options.releaseTurns({ leases: [lease], unused: 0 }, queue);
  }

  /** Also of leases that were published and came too late for the job. */
  #releaseTurns({ left, openRequests }: Extract<WorkerReport, { kind: 'leftTurns' }>): void {
    this.#hasLeftTurns = true;
    const late = Math.max(0, openRequests - this.#openRequests);
    const leases = late > 0 ? this.#lastLeases.slice(-late) : [];
    const { leases: unusedLeases, unused } = left ?? { leases: [], unused: 0 };
    this.#options.releaseTurns({ leases: [...unusedLeases, ...leases], unused });
  }

  async #allowProbe(queue: number): Promise<void> {
    const isAllowed = await this.#options.mayProbe(queue);
    this.#handle.publish({ kind: 'probe', queue, isAllowed });
  }
}
