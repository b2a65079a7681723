import { systemClock } from '../../clock.js';
import { rangeBytes } from '../../input/ranges.js';
import { Execution } from './execution.js';
import type { ItemExecution, ItemExecutionOptions } from './item-execution.js';
import { JobHandle } from './job-handle.js';
import { JobThread } from './job-thread.js';
import { localChannel } from './local-channel.js';
import type { Job, WorkerReport } from './messages.js';
import { workThroughRanges } from './range-worker.js';
import { SharedConnections } from './shared-connections.js';

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
  /** Of the executions in this thread. */
  readonly #shared = new SharedConnections(systemClock);

  /** With 0 threads, all is executed in this one. Threads are started when they are needed. */
  constructor(threads: number) {
    this.#size = threads;
  }

  /** In how many threads executions are, at most. */
  get threads(): number {
    return Math.max(1, this.#size);
  }

  /** How many bytes to read at once. */
  get rangeBytes(): number {
    return this.#size === 0 ? localRangeBytes : rangeBytes;
  }

  /**
   * Starts an execution, in the thread with the fewest. A thread that fails with an unexpected error ends
   * all its executions with that error; later ones get another thread.
   */
  start(options: ItemExecutionOptions): ItemExecution {
    const execution = new Execution(options, (job, onReport) =>
      this.#size === 0 ? inThisThread(job, onReport, this.#shared) : this.#inThread(job, onReport),
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

  #inThread(job: Job, onReport: (report: WorkerReport) => void): JobHandle {
    const chosen = this.#leastBusy();
    const { thread } = chosen;
    const handle = new JobHandle(thread.start(job), thread.exited, onReport);
    chosen.executions++;
    const leave = (): number => chosen.executions--;
    void handle.ended.then(leave, leave);
    return handle;
  }

  #leastBusy(): PoolThread {
    const [first, ...others] = this.#threads;
    const idlest = others.reduce((a, b) => (b.executions < a!.executions ? b : a), first);
    const isFull = this.#threads.size >= this.#size;
    return idlest && (isFull || idlest.executions === 0) ? idlest : this.#newThread();
  }

  #newThread(): PoolThread {
    const started: PoolThread = { thread: new JobThread(), executions: 0 };
    this.#threads.add(started);
    void started.thread.exited.then(() => this.#threads.delete(started));
    return started;
  }
}

function inThisThread(
  job: Job,
  onReport: (report: WorkerReport) => void,
  shared: SharedConnections,
): JobHandle {
  const { port1, port2 } = localChannel();
  const failed = workThroughRanges(job, port2, shared).catch((error: unknown) => {
    port2.close();
    return error;
  });
  return new JobHandle(port1, failed, onReport);
}
