import { Worker } from 'node:worker_threads';
import { EvfwdError } from '../../errors.js';
import type { Range } from '../../input/range.js';
import type { WorkerFailure, Job, WorkerCommand, WorkerReport } from './messages.js';
import { importWorkerFile } from '../worker-file.js';

/** How many ranges a thread has at once: the current one and the next. */
const rangesAhead = 2;

/**
 * Only a garbage collection frees a range after its events have ended. A smaller young generation
 * (default: three times 16 MB) is collected sooner, at no measurable cost.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** One worker thread, seen from the main thread. */
export class WorkerHandle {
  readonly #worker: Worker;
  /** Resolves when the thread has reported everything and exited. */
  readonly ended: Promise<void>;
  #wanted = rangesAhead;
  #wake: () => void = () => undefined;
  #isOver = false;

  /** `onReport` gets all reports but those about the thread itself. */
  constructor(job: Job, onReport: (report: WorkerReport) => void) {
    this.#worker = new Worker(importWorkerFile, { workerData: job, resourceLimits });
    this.ended = this.#untilEnded(onReport);
  }

  /** Resolves with true when it is ready for another range, or with false when it is over. */
  async wants(): Promise<boolean> {
    while (this.#wanted === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return !this.#isOver;
  }

  assign(range: Range): void {
    this.#wanted--;
    this.#post({ kind: 'range', range }, [range.bytes.buffer]);
  }

  /** No more ranges will follow. */
  end(): void {
    this.#post({ kind: 'end' });
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    this.#leave();
    this.#post({ kind: 'stop' });
  }

  /** Ends the thread at once; what it has not reported is lost. */
  async terminate(): Promise<void> {
    const ended = this.ended.catch(() => undefined);
    await this.#worker.terminate();
    await ended;
  }

  publish(command: WorkerCommand): void {
    this.#post(command);
  }

  #post(command: WorkerCommand, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(command, transfer);
  }

  /** Waits for the exit: by then all reports have been handled, also if the thread has thrown. */
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
