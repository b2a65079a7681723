import type { Clock } from '../clock.js';
import { DeletedUsers } from './store/deleted-users.js';
import type { ServiceStore } from './store/service-store.js';
import type { DeliveryLog } from './store/delivery-log.js';
import type { AcceptDeletion } from './types.js';

export interface LogRedactionOptions {
  readonly store: ServiceStore;
  readonly deliveryLog: DeliveryLog;
  readonly clock: Clock;
  readonly accept: AcceptDeletion;
  /** The delivery log cannot be written; it is tried again. */
  readonly onFailure: (error: unknown) => void;
}

/** How soon it is tried again what could not be written. */
const againMs = 60_000;
/** All files are read each time, so requests that come meanwhile are done together. */
const pauseMs = 5_000;

/**
 * Takes the ids of users whose deletion was asked for out of the delivery log. The store remembers
 * for which of them that is still to be done, so a crash delays it until the next start.
 */
export class LogRedaction {
  readonly #options: LogRedactionOptions;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  /** There may be more to do than what is being done. */
  #isAsked = false;

  constructor(options: LogRedactionOptions) {
    this.#options = options;
  }

  /** Goes on with what an earlier run has left. */
  start(): void {
    this.#run();
  }

  /** Stores a deletion, and has its user forgotten. @throws StateError when it cannot be stored */
  readonly accept: AcceptDeletion = async (deletion) => {
    await this.#options.accept(deletion);
    this.#options.deliveryLog.deletedUsers.add(deletion);
    this.#run();
  };

  /** Resolves when nothing is being written; the rest is done at the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #run(): void {
    this.#isAsked = true;
    if (this.#isStopped || this.#running || this.#cancel) return;
    this.#isAsked = false;
    this.#running = this.#redactAll()
      .then((hasRead) => (hasRead ? pauseMs : 0))
      .catch((error: unknown) => {
        this.#isAsked = true;
        this.#options.onFailure(error);
        return againMs;
      })
      .then((delayMs) => {
        this.#running = undefined;
        this.#runAfter(delayMs);
      });
  }

  #runAfter(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(delayMs, () => {
      this.#cancel = undefined;
      if (this.#isAsked) this.#run();
    });
  }

  /** Resolves with whether files were read. */
  async #redactAll(): Promise<boolean> {
    const { store, deliveryLog } = this.#options;
    const users = store.pendingRedactions();
    if (users.length === 0) return false;
    const isDone = await deliveryLog.redact(new DeletedUsers(users), () => !this.#isStopped);
    if (!isDone) return true;
    const durable = store.markRedacted(users.at(-1)!.id);
    store.commit();
    await durable;
    return true;
  }
}
