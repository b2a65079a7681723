import { MessageChannel, Worker } from 'node:worker_threads';
import { importWorkerFile } from '../worker-file.js';
import type { JobPort } from './local-channel.js';
import type { Job, JobStart } from './messages.js';

/**
 * Only a garbage collection frees a range after its events have ended, and large dead letters after they
 * were reported. A smaller young generation (default: three times 16 MB) is collected sooner, at no
 * measurable cost: with 12 MB, two threads took 215 MB for events of 32 KB that fail.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/** Works on any number of jobs at once. */
export interface ImportThread {
  /** @throws DataCloneError */
  start(job: Job): StartedJob;
  /** Resolves when its jobs and the thread have ended. */
  close(): Promise<void>;
  /** Ends at once; what it has not reported is lost. */
  terminate(): Promise<void>;
}

export interface StartedJob {
  readonly port: JobPort;
  /** Resolves with an error if the job ends without saying so. */
  readonly died: Promise<unknown>;
}

/** A worker thread. */
export class JobThread implements ImportThread {
  readonly #worker = new Worker(importWorkerFile, { resourceLimits });
  #error: unknown = new Error('a worker thread ended before its work was done');
  /** Resolves when the thread has ended, with the error that ends its jobs. */
  readonly exited: Promise<unknown>;

  constructor() {
    this.#worker.on('error', (thrown) => (this.#error = thrown));
    this.exited = new Promise((resolve) => this.#worker.once('exit', () => resolve(this.#error)));
  }

  start(job: Job): StartedJob {
    const { port1, port2 } = new MessageChannel();
    try {
      this.#worker.postMessage({ job, port: port2 } satisfies JobStart, [port2]);
    } catch (error) {
      port1.close();
      throw error;
    }
    return { port: port1, died: this.exited };
  }

  async close(): Promise<void> {
    this.#worker.postMessage(null);
    await this.exited;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.exited;
  }
}
