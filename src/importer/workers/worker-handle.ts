import { Worker } from 'node:worker_threads';
import { EvfwdError } from '../../errors.js';
import type { Range } from '../../input/range.js';
import type { WorkerFailure, Job, WorkerCommand, WorkerReport } from './messages.js';
import { importWorkerFile } from '../worker-file.js';

/** So many ranges are with a thread at once: one that it works on, one that it goes on with. */
const rangesAhead = 2;

/**
 * Ranges are dropped as soon as their events have ended, but go only with a collection: a smaller young
 * generation (16 MB by default, three times) has them sooner, and costs nothing that was measurable.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** One worker thread, seen from the main thread. */
export class WorkerHandle {
  readonly #worker: Worker;
  /** Resolves when the thread has told all that it took, and is gone. */
  readonly ended: Promise<void>;
  #wanted = rangesAhead;
  #wake: () => void = () => undefined;
  #isOver = false;

  /** `onReport` hears of everything but what concerns the thread itself. */
  constructor(job: Job, onReport: (report: WorkerReport) => void) {
    this.#worker = new Worker(importWorkerFile, { workerData: job, resourceLimits });
    this.ended = this.#untilEnded(onReport);
  }

  /** Resolves when it can take another range: true; or when it is over: false. */
  async wants(): Promise<boolean> {
    while (this.#wanted === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return !this.#isOver;
  }

  give(range: Range): void {
    this.#wanted--;
    this.#post({ kind: 'range', range }, [range.bytes.buffer]);
  }

  /** No more ranges will come. */
  end(): void {
    this.#post({ kind: 'end' });
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    this.#leave();
    this.#post({ kind: 'stop' });
  }

  /** Ends the thread where it is; what it has not told is lost. */
  async terminate(): Promise<void> {
    const ended = this.ended.catch(() => undefined);
    await this.#worker.terminate();
    await ended;
  }

  publish(order: WorkerCommand): void {
    this.#post(order);
  }

  #post(order: WorkerCommand, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, transfer);
  }

  /** Not before its exit: by then everything it has told has been heard, also where it has thrown. */
  async #untilEnded(onReport: (report: WorkerReport) => void): Promise<void> {
    let error: unknown = new Error('a worker thread ended before its work was done');
    this.#worker.on('message', (report: WorkerReport) => {
      if (report.kind === 'want') this.#want();
      else if (report.kind === 'ended') error = errorOf(report.failure);
      else onReport(report);
    });
    this.#worker.on('error', (thrown) => (error = thrown));
    await new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#leave();
    if (error !== undefined) throw error as Error;
  }

  #want(): void {
    this.#wanted++;
    this.#wake();
  }

  #leave(): void {
    this.#isOver = true;
    this.#wake();
  }
}

function errorOf(failure: WorkerFailure | undefined): EvfwdError | undefined {
  return failure && new EvfwdError(failure.code, failure.message, failure.exitCode);
}
