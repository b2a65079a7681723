import type { Clock } from '../clock.js';
import { DeletedUsers } from './store/deleted-users.js';
import type { ServiceStore } from './store/service-store.js';
import type { OutcomeLog } from './store/store-views.js';
import type { AcceptDeletion } from './types.js';

export interface LogRedactionOptions {
  readonly store: ServiceStore;
  readonly deliveryLog: OutcomeLog;
  readonly clock: Clock;
  readonly accept: AcceptDeletion;
  /** The delivery log cannot be written; redaction is retried. */
  readonly onFailure: (error: unknown) => void;
}

const retryMs = 60_000;
/** Each run reads all files, so requests that arrive during the pause share one run. */
const pauseMs = 5_000;
const lookAgainMs = 60_000;

/**
 * Removes the ids of users whose deletion was requested from the delivery log, and their kept events. The store remembers
 * which redactions are pending, so a crash delays them until the next start.
 */
export class LogRedaction {
  readonly #options: LogRedactionOptions;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  /** A request arrived after the current run began. */
  #isRequested = false;
  #lookedAt: number;

  constructor(options: LogRedactionOptions) {
    this.#options = options;
    this.#lookedAt = options.clock.monotonic();
  }

  /** Resumes what an earlier process left. */
  start(): void {
    this.#run();
  }

  /** Of a store that several share: does what an instance that is gone has left, now and then. */
  lookAgain(): void {
    const { clock, store } = this.#options;
    if (store.failure !== undefined) return;
    const now = clock.monotonic();
    if (now - this.#lookedAt < lookAgainMs) return;
    this.#lookedAt = now;
    this.#run();
  }

  /** Stores a deletion and redacts its user. @throws StateError when it cannot be stored */
  readonly accept: AcceptDeletion = async (deletion) => {
    try {
      await this.#options.accept(deletion);
    } finally {
      // After a failed flush, too: the deletion may be stored nevertheless.
      this.#options.deliveryLog.deletedUsers.add(deletion);
      this.#run();
    }
  };

  /** Resolves when nothing is being written; the next start resumes the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #run(): void {
    this.#isRequested = true;
    if (this.#isStopped || this.#running || this.#cancel) return;
    this.#isRequested = false;
    this.#running = this.#redactAll()
      .then((hasRead) => (hasRead ? pauseMs : 0))
      .catch((error: unknown) => {
        this.#isRequested = true;
        this.#options.onFailure(error);
        return retryMs;
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
      if (this.#isRequested) this.#run();
    });
  }

  /** Resolves to whether files were read. */
  async #redactAll(): Promise<boolean> {
    const { store, deliveryLog } = this.#options;
    const users = await store.pendingRedactions();
    if (users.length === 0) return false;
    // Of kept events first: they have what the log has not.
    const mayContinue = (): boolean => !this.#isStopped;
    if ((await store.kept?.remove(users, mayContinue)) === false) return true;
    if ((await store.eraseFreed?.(mayContinue)) === false) return true;
    const isDone = await deliveryLog.redact(new DeletedUsers(users), mayContinue);
    if (!isDone) return true;
    const durable = store.markRedacted(users.map(({ id }) => id));
    await store.commit();
    await durable;
    return true;
  }
}
