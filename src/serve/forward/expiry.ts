import type { Clock } from '../../clock.js';
import type { ServiceStore } from '../store/service-store.js';
import {
  type ExpiryPosition,
  expiryStart,
  type OnExpired,
  type Unused,
} from '../store/service-store.js';

export interface ExpiryOptions {
  readonly store: ServiceStore;
  readonly clock: Clock;
  /** Which events of a destination are only in the store. */
  readonly unusedOf: (destination: string) => Unused;
  readonly onExpired: (destination: string) => OnExpired;
  /** The store cannot be read; the next scan reads it again. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

const scanEveryMs = 10 * 60 * 1000;
/** Examined in one transaction; and the pause between transactions. */
const eventsAtOnce = 200;
const pauseMs = 100;

/** Expires events that have waited too long, also for destinations that are off or removed. */
export class Expiry {
  readonly #options: ExpiryOptions;
  #cancel: (() => void) | undefined;
  #isRunning = false;
  /** Destinations with more events to examine, and the position to continue from. */
  readonly #open = new Map<string, ExpiryPosition>();

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    void this.#scan();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
  }

  async #scan(): Promise<void> {
    for (const destination of this.#options.store.waitingFor()) {
      this.#open.set(destination, expiryStart);
    }
    await this.#continue();
  }

  async #continue(): Promise<void> {
    await Promise.all(
      [...this.#open].map(([destination, from]) => this.#giveUp(destination, from)),
    );
    if (!this.#isRunning) return;
    this.#cancel =
      this.#open.size > 0
        ? this.#options.clock.after(pauseMs, () => void this.#continue())
        : this.#options.clock.after(scanEveryMs, () => void this.#scan());
  }

  /** Events whose expiry cannot be read or written are found again in the next scan. */
  async #giveUp(destination: string, from: ExpiryPosition): Promise<void> {
    const { store, unusedOf, onExpired, onFailure } = this.#options;
    const next = await store
      .expire({
        destination,
        unused: () => unusedOf(destination),
        from,
        limit: eventsAtOnce,
        onExpired: onExpired(destination),
      })
      .catch((error: unknown) => {
        // The store itself reports what cannot be written.
        if (store.failure === undefined) onFailure?.(error);
        return undefined;
      });
    if (next) this.#open.set(destination, next);
    else this.#open.delete(destination);
  }
}
