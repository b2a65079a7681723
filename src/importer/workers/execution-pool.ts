import { rangeBytes } from '../../sources/ranges.js';
import { Execution } from './execution.js';
import type { ItemExecution, ItemExecutionOptions } from './item-execution.js';
import { JobHandle } from './job-handle.js';
import { JobThread, type ImportThread, type StartedJob } from './job-thread.js';
import type { Job, WorkerReport } from './messages.js';
import type { Platform } from '../../delivery/platform.js';
import { localChannel } from './local-channel.js';
import { workThroughRanges } from './range-worker.js';
import { ThreadContext } from './thread-context.js';

/**
 * In this thread: larger ranges outlive the young generation, and each of its collections is followed by one
 * of all memory. Another thread gets larger ones, since each message costs.
 */
const localRangeBytes = 64 * 1024;

/** A thread, and how many executions it has. */
interface PoolThread {
  readonly thread: JobThread;
  executions: number;
}

/** Threads that execute items of work, each several at once. */
export class ExecutionPool {
  readonly #size: number;
  readonly #threads = new Set<PoolThread>();
  readonly #executions = new Set<Execution>();
  readonly #local = new LocalThread();

  /** With 0 threads, all is executed in this one. Threads are started when they are needed. */
  constructor(threads: number) {
    this.#size = threads;
  }

  /** In how many threads executions are, at most. */
  get threads(): number {
    return Math.max(1, this.#size);
  }

  /** How many bytes to read at once in a run with so many threads at most, 0 for this one. */
  rangeBytes(most = Infinity): number {
    return Math.min(this.#size, most) === 0 ? localRangeBytes : rangeBytes;
  }

  /**
   * Starts an execution, in the thread with the fewest. A thread that fails with an unexpected error ends
   * all its executions with that error; later ones get another thread.
   *
   * @param most in how many threads, always the same, executions of its run are at most; 0: in this one. Default: in all
   */
  start(options: ItemExecutionOptions, most = Infinity): ItemExecution {
    const execution = new Execution(options, (job, onReport) =>
      Math.min(this.#size, most) === 0
        ? new JobHandle(this.#local.start(job), onReport)
        : this.#inThread(job, onReport, most),
    );
    this.#executions.add(execution);
    const forget = (): boolean => this.#executions.delete(execution);
    void execution.ended.then(forget, forget);
    return execution;
  }

  /** Stops all executions, and ends the threads when what is in flight has ended. */
  async close(): Promise<void> {
    for (const execution of this.#executions) execution.stop();
    await Promise.allSettled([...this.#executions].map(({ ended }) => ended));
    await Promise.all([...this.#threads].map(({ thread }) => thread.close()));
  }

  #inThread(job: Job, onReport: (report: WorkerReport) => void, most: number): JobHandle {
    const chosen = this.#leastBusy(Math.min(most, this.#size));
    const { thread } = chosen;
    const handle = new JobHandle(thread.start(job), onReport);
    chosen.executions++;
    const leave = (): number => chosen.executions--;
    void handle.ended.then(leave, leave);
    return handle;
  }

  #leastBusy(most: number): PoolThread {
    const [first, ...others] = [...this.#threads].slice(0, most);
    const idlest = others.reduce((a, b) => (b.executions < a!.executions ? b : a), first);
    const isFull = this.#threads.size >= most;
    return idlest && (isFull || idlest.executions === 0) ? idlest : this.#newThread();
  }

  #newThread(): PoolThread {
    const started: PoolThread = { thread: new JobThread(), executions: 0 };
    this.#threads.add(started);
    void started.thread.exited.then(() => this.#threads.delete(started));
    return started;
  }
}

/** Works on jobs in the thread that starts them. */
export class LocalThread implements ImportThread {
  readonly #context: ThreadContext;

  constructor(platform?: Platform) {
    this.#context = new ThreadContext(platform);
  }

  start(job: Job): StartedJob {
    const { port1, port2 } = localChannel();
    const died = workThroughRanges(job, port2, this.#context).catch((error: unknown) => {
      port2.close();
      return error;
    });
    return { port: port1, died };
  }

  /** Its jobs end by themselves. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  terminate(): Promise<void> {
    return Promise.resolve();
  }
}
