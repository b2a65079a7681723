import type { Range } from '../../input/range.js';
import { UsageError } from '../../errors.js';
import { DownUrls } from './down-urls.js';
import { WorkerHandle } from './worker-handle.js';
import type { ImportCoordinator } from './import-coordinator.js';
import type { Job, WorkerReport } from './messages.js';

export interface WorkerPoolOptions {
  /** One per thread. */
  readonly jobs: readonly Job[];
  readonly coordinator: ImportCoordinator;
  /** The inputs, in ranges of whole lines. */
  readonly ranges: AsyncGenerator<Range>;
  /** Aborted at the first Ctrl-C: nothing new is sent then. */
  readonly interrupted: AbortSignal;
  /** Called when a URL goes down, and when it recovers. */
  readonly onDown: (url: string, isDown: boolean) => void;
}

/**
 * The threads of one import: each gets ranges on demand and reports the outcomes to the coordinator;
 * what one finds out about a URL is published to all others.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  #workerHandles: readonly WorkerHandle[] = [];
  readonly #down = new DownUrls();
  #isStopped = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /**
   * Resolves when every thread has ended and all reports have been handled.
   * @throws UsageError when they cannot all be started; else the error of the first thread that failed,
   * or of reading the inputs.
   */
  async run(): Promise<void> {
    const { interrupted, ranges } = this.#options;
    const stop = (): void => this.stop();
    interrupted.addEventListener('abort', stop);
    try {
      this.#workerHandles = await this.#start();
      if (interrupted.aborted || this.#isStopped) stop();
      const feeds = this.#workerHandles.map((workerHandle, thread) =>
        this.#feed(workerHandle, thread),
      );
      await allEnded([...this.#workerHandles.map(({ ended }) => ended), ...feeds], stop);
    } finally {
      await ranges.return(undefined);
      interrupted.removeEventListener('abort', stop);
    }
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    this.#isStopped = true;
    for (const workerHandle of this.#workerHandles) workerHandle.stop();
  }

  /** Reports to a thread that this many of its rows are durable. */
  durable(thread: number, rows: number): void {
    this.#workerHandles[thread]?.publish({ kind: 'durable', rows });
  }

  async #start(): Promise<WorkerHandle[]> {
    const workerHandles: WorkerHandle[] = [];
    try {
      for (const [thread, job] of this.#options.jobs.entries()) {
        workerHandles.push(new WorkerHandle(job, (report) => this.#onReport(report, thread)));
      }
      return workerHandles;
    } catch (cause) {
      await Promise.all(workerHandles.map((workerHandle) => workerHandle.terminate()));
      throw notStarted(workerHandles.length + 1, cause as NodeJS.ErrnoException);
    }
  }

  async #feed(workerHandle: WorkerHandle, thread: number): Promise<void> {
    const { ranges, coordinator } = this.#options;
    while (await workerHandle.wants()) {
      const next = await ranges.next();
      if (next.done || this.#isStopped) break;
      coordinator.assign(next.value, thread);
      workerHandle.assign(next.value);
    }
    workerHandle.end();
  }

  #onReport(report: WorkerReport, thread: number): void {
    const { coordinator } = this.#options;
    if (report.kind === 'commit') coordinator.accept(report, thread);
    else if (report.kind === 'notice') this.#publishToOthers(report, thread);
    else if (report.kind === 'down') this.#applyDown(report, thread);
  }

  #publishToOthers(
    { queue, notice }: Extract<WorkerReport, { kind: 'notice' }>,
    from: number,
  ): void {
    this.#workerHandles.forEach((workerHandle, thread) => {
      if (thread !== from) workerHandle.publish({ kind: 'notice', queue, notice });
    });
  }

  #applyDown({ url, isDown }: Extract<WorkerReport, { kind: 'down' }>, thread: number): void {
    if (this.#down.note(url, isDown, thread)) this.#options.onDown(url, isDown);
  }
}

function notStarted(thread: number, cause: NodeJS.ErrnoException): UsageError {
  const reason = typeof cause.code === 'string' ? cause.code : cause.message;
  const message = `worker thread ${thread} could not be started (${reason}); use a smaller --threads`;
  return new UsageError(message, 'threads_not_started', { cause });
}

/** Waits for all of them, also when some fail. @throws the error of the first that failed. */
async function allEnded(works: readonly Promise<void>[], onFailure: () => void): Promise<void> {
  const failures: unknown[] = [];
  const note = (error: unknown): void => {
    failures.push(error);
    onFailure();
  };
  await Promise.all(works.map((work) => work.catch(note)));
  if (failures.length > 0) throw failures[0] as Error;
}
