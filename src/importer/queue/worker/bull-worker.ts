import type { Job, Worker } from 'bullmq';
import type { ItemKind } from '../item.js';
import type { QueuePackages } from '../packages.js';
import type { QueueServer } from '../queue-server.js';

/** How BullMQ watches over items in hand. */
export interface LockSettings {
  /** How long a process that does not respond keeps its items, in milliseconds. */
  readonly lockMs: number;
  /** How often each worker looks for items whose process does not respond. */
  readonly stalledMs: number;
}

/** Together at most 16 s until another worker takes the items of a dead one; the promise is 20 s. */
export const defaultLocks: LockSettings = { lockMs: 12_000, stalledMs: 4_000 };

/** After an error of the server, no item is taken for so long: BullMQ would try again at once. */
const afterErrorMs = 1_000;

export type Processor = (job: Job, token: string, lost: AbortSignal) => Promise<void>;

export interface BullWorkerOptions {
  readonly server: Pick<QueueServer, 'client' | 'prefix' | 'queueName'>;
  readonly bullmq: QueuePackages['bullmq'];
  readonly run: string;
  readonly kind: ItemKind;
  /** Items in hand. */
  readonly concurrency: number;
  readonly locks: LockSettings;
  /** `lost` is aborted when the lock of the item could not be renewed. */
  readonly processor: Processor;
  /** Called when an item has ended on the server, too. */
  readonly onEnded: () => void;
}

/** Takes the items of one queue with BullMQ. Nothing of it is printed, and no error is unhandled. */
export class BullWorker {
  readonly #worker: Worker;
  #resumes: NodeJS.Timeout | undefined;

  constructor(options: BullWorkerOptions) {
    const { server, bullmq, run, kind, concurrency, locks, processor, onEnded } = options;
    this.#worker = new bullmq.Worker(
      server.queueName(run, kind),
      // BullMQ passes a signal only to a function with three parameters.
      (job: Job, token?: string, lost?: AbortSignal) => processor(job, token!, lost!),
      {
        connection: server.client,
        prefix: server.prefix,
        skipVersionCheck: true,
        concurrency,
        lockDuration: locks.lockMs,
        stalledInterval: locks.stalledMs,
        // `ItemTaker` decides, which knows whether there was a commit in between.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        ...(kind === 'retries' && { removeOnComplete: { count: 0 } }),
      },
    );
    this.#worker.on('completed', onEnded);
    this.#worker.on('failed', onEnded);
    this.#worker.on('error', (error) => this.#onError(error));
    this.#worker.on('lockRenewalFailed', (ids: string[]) => {
      for (const id of ids) this.#worker.cancelJob(id);
    });
  }

  /** Takes nothing more; resolves when the items in hand have ended. */
  async close(): Promise<void> {
    clearTimeout(this.#resumes);
    await this.#worker.close();
  }

  /** The connection waits by itself; `QueueServer` reports what lasts. */
  #onError(error: Error): void {
    if (error.name !== 'ReplyError' || this.#resumes) return;
    void this.#worker.pause(true);
    this.#resumes = setTimeout(() => {
      this.#resumes = undefined;
      void this.#worker.resume();
    }, afterErrorMs);
  }
}
