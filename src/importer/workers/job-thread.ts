import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { importWorkerFile } from '../worker-file.js';
import type { Job, JobStart } from './messages.js';

/**
 * Only a garbage collection frees a range after its events have ended, and large dead letters after they
 * were reported. A smaller young generation (default: three times 16 MB) is collected sooner, at no
 * measurable cost: with 12 MB, two threads took 215 MB for events of 32 KB that fail.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/** A worker thread, which works on any number of jobs at once. */
export class JobThread {
  readonly #worker = new Worker(importWorkerFile, { resourceLimits });
  #error: unknown = new Error('a worker thread ended before its work was done');
  /** Resolves when the thread has ended, with the error that ends its jobs. */
  readonly exited: Promise<unknown>;

  constructor() {
    this.#worker.on('error', (thrown) => (this.#error = thrown));
    this.exited = new Promise((resolve) => this.#worker.once('exit', () => resolve(this.#error)));
  }

  /** Starts a job, and returns its port. @throws DataCloneError */
  start(job: Job): MessagePort {
    const { port1, port2 } = new MessageChannel();
    try {
      this.#worker.postMessage({ job, port: port2 } satisfies JobStart, [port2]);
    } catch (error) {
      port1.close();
      throw error;
    }
    return port1;
  }

  /** Ends the thread when its jobs have ended; resolves then. */
  async close(): Promise<void> {
    this.#worker.postMessage(null);
    await this.exited;
  }

  /** Ends the thread at once; what it has not reported is lost. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.exited;
  }
}
