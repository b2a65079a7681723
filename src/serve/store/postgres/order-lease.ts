import { hash } from 'node:crypto';
import type { Clock } from '../../../clock.js';
import type { HeldJob } from '../../../store/postgres/jobs.js';
import { queueOf, type StoreParts } from './context.js';

/** An instance that does not have it asks again after this time at the earliest. */
const againMs = 500;
/** The server takes a job away after 24 hours: it is released before, once nothing is in flight. */
const maxLeaseMs = 12 * 60 * 60 * 1000;

/**
 * What says which instance sends to an ordered destination (by its number): one at a time does, and another one goes on
 * when that one is gone.
 */
export class OrderLease {
  readonly #parts: StoreParts;
  readonly #destination: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #onLost: () => void;
  #job: HeldJob | undefined;
  #isMade = false;
  #isClosed = false;
  #askedAt = -Infinity;
  #since = -Infinity;

  /** @param onLost another one may have it by now */
  constructor(
    parts: StoreParts,
    destination: number,
    clock: Pick<Clock, 'monotonic'>,
    onLost: () => void,
  ) {
    this.#parts = parts;
    this.#clock = clock;
    this.#destination = destination;
    this.#onLost = onLost;
  }

  /** Undefined while another instance has it. */
  get job(): HeldJob | undefined {
    return this.#job;
  }

  /** Resolves to whether it is ours. @throws StoreUnavailable */
  async obtain(): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (this.#job && now - this.#since < maxLeaseMs) return true;
    if (this.#job) this.#onLost();
    if (this.#job || this.#isClosed) return false;
    const { jobs } = this.#parts.shared;
    if (now - this.#askedAt < againMs) return false;
    this.#askedAt = now;
    await this.#make();
    const [job] = await jobs.fetch(this.#queue, 1);
    if (!job) return false;
    if (!this.#wants(job)) {
      await jobs.release(this.#queue, [job]);
      return false;
    }
    this.#job = job;
    this.#since = now;
    job.lost.addEventListener(
      'abort',
      () => {
        if (this.#job !== job) return;
        this.#job = undefined;
        this.#onLost();
      },
      { once: true },
    );
    return true;
  }

  /** It may have been closed, and the job been lost, while the store was asked. */
  #wants(job: HeldJob): boolean {
    return !this.#isClosed && !job.lost.aborted;
  }

  /** Another instance may have it at once. */
  async release(): Promise<void> {
    const job = this.#job;
    this.#job = undefined;
    this.#askedAt = -Infinity;
    if (job) await this.#parts.shared.jobs.release(this.#queue, [job]).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.release();
  }

  get #queue(): string {
    return queueOf('order', this.#destination);
  }

  /** One job, whoever makes it. */
  async #make(): Promise<void> {
    if (this.#isMade) return;
    const { jobs, database, schema } = this.#parts.shared;
    const id = uuidOf(`${schema} ${this.#queue}`);
    await jobs.createQueue(this.#queue);
    await database.transaction((tx) => jobs.insert(tx, this.#queue, [{ id, data: {} }]));
    this.#isMade = true;
  }
}

function uuidOf(text: string): string {
  const digits = hash('sha1', text, 'hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `5${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
