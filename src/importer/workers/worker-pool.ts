import type { DownReason } from '../../delivery/circuit-breaker.js';
import type { Range } from '../../sources/range.js';
import { UsageError } from '../../errors.js';
import type { ImportCoordinator } from './import-coordinator.js';
import { JobHandle } from './job-handle.js';
import type { ImportThread, StartedJob } from './job-thread.js';
import type { Job, WorkerReport } from './messages.js';

export interface WorkerPoolOptions {
  /** One per thread. */
  readonly jobs: readonly Job[];
  readonly newThread: () => ImportThread;
  readonly coordinator: ImportCoordinator;
  /** The inputs, in ranges of whole lines. */
  readonly ranges: AsyncGenerator<Range>;
  /** Aborted at the first Ctrl-C: nothing new is sent then. */
  readonly interrupted: AbortSignal;
  /** Called when a URL goes down, with the reason, and when it recovers. */
  readonly onDown: (url: string, isDown: boolean, reason?: DownReason) => void;
  /** Called when a token endpoint refuses the credentials, in a sentence: the run is to end. */
  readonly onRefused: (reason: string) => void;
  /** Called with the warnings of each thread that has changed records, at its end. */
  readonly onWarnings: (texts: readonly string[]) => void;
}

/**
 * The threads of one import: each gets ranges on demand and reports the outcomes to the coordinator;
 * what one finds out about a URL is published to all others.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #threads: ImportThread[] = [];
  #handles: readonly JobHandle[] = [];
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
      await this.#start();
      if (interrupted.aborted || this.#isStopped) stop();
      const feeds = this.#handles.map((handle, thread) =>
        handle.feed(() => this.#nextRange(thread)),
      );
      await allEnded([...this.#handles.map(({ ended }) => ended), ...feeds], stop);
    } finally {
      await Promise.all(this.#threads.map((thread) => thread.close()));
      await ranges.return(undefined);
      interrupted.removeEventListener('abort', stop);
    }
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    this.#isStopped = true;
    for (const handle of this.#handles) handle.stop();
  }

  /** Reports to a thread that this many of its rows are durable. */
  durable(thread: number, rows: number): void {
    this.#handles[thread]?.publish({ kind: 'durable', rows });
  }

  async #start(): Promise<void> {
    const { jobs, newThread } = this.#options;
    const started: StartedJob[] = [];
    try {
      for (const job of jobs) {
        this.#threads.push(newThread());
        started.push(this.#threads.at(-1)!.start(job));
      }
    } catch (cause) {
      await Promise.all(this.#threads.map((thread) => thread.terminate()));
      throw notStarted(started.length + 1, cause as NodeJS.ErrnoException);
    }
    this.#handles = started.map(
      (job, thread) => new JobHandle(job, (report) => this.#onReport(report, thread)),
    );
  }

  /** The next range for this thread; undefined if it gets no more. */
  async #nextRange(thread: number): Promise<Range | undefined> {
    const { ranges, coordinator } = this.#options;
    const next = await ranges.next();
    if (next.done && !this.#isStopped) coordinator.noteReadAll();
    if (next.done || this.#isStopped) return undefined;
    coordinator.assign(next.value, thread);
    return next.value;
  }

  #onReport(report: WorkerReport, thread: number): void {
    const { coordinator } = this.#options;
    if (report.kind === 'commit') coordinator.accept(report, thread);
    else if (report.kind === 'notice') this.#publishToOthers(report, thread);
    else if (report.kind === 'down') this.#applyDown(report, thread);
    else if (report.kind === 'refused') this.#options.onRefused(report.reason);
    else if (report.kind === 'warnings') this.#options.onWarnings(report.texts);
  }

  #publishToOthers(
    { queue, notice }: Extract<WorkerReport, { kind: 'notice' }>,
    from: number,
  ): void {
    this.#handles.forEach((handle, thread) => {
      if (thread !== from) handle.publish({ kind: 'notice', queue, notice });
    });
  }

  #applyDown(report: Extract<WorkerReport, { kind: 'down' }>, thread: number): void {
    const { url, isDown, reason } = report;
    if (this.#down.note(url, isDown, thread)) this.#options.onDown(url, isDown, reason);
  }
}

function notStarted(thread: number, cause: NodeJS.ErrnoException): UsageError {
  const reason = typeof cause.code === 'string' ? cause.code : cause.message;
  const message = `worker thread ${thread} could not be started (${reason}); use a smaller --threads`;
  return new UsageError(message, 'threads_not_started', { cause });
}

/** Waits for all of them, also when some fail. @throws the error of the first that failed. */
async function allEnded(works: readonly Promise<unknown>[], onFailure: () => void): Promise<void> {
  const failures: unknown[] = [];
  const note = (error: unknown): void => {
    failures.push(error);
    onFailure();
  };
  await Promise.all(works.map((work) => work.catch(note)));
  if (failures.length > 0) throw failures[0] as Error;
}

/** Which threads found a URL down: it is down while at least one thread finds it down. */
export class DownUrls {
  readonly #threads = new Map<string, Set<number>>();

  /** Notes the finding of one thread; true if that changes the overall state. */
  note(url: string, isDown: boolean, thread: number): boolean {
    const threads = this.#threads.get(url) ?? new Set();
    this.#threads.set(url, threads);
    const wasDown = threads.size > 0;
    if (isDown) threads.add(thread);
    else threads.delete(thread);
    return wasDown !== threads.size > 0;
  }
}
