import type { Clock } from '../../clock.js';
import type { OnExpired, Unused } from '../store/expiry-change.js';
import type { ServiceStore } from '../store/service-store.js';

export interface ExpiryOptions {
  readonly store: ServiceStore;
  readonly clock: Clock;
  /** What of a destination is stored only. */
  readonly unusedOf: (destination: string) => Unused;
  readonly onExpired: (destination: string) => OnExpired;
}

const lookEveryMs = 10 * 60 * 1000;
/** Given up in one transaction; and how long others have until the next one. */
const eventsAtOnce = 200;
const pauseMs = 100;

/** Gives up what has waited too long, at destinations that are off or gone, too; a few at a time. */
export class Expiry {
  readonly #options: ExpiryOptions;
  #cancel: (() => void) | undefined;
  #isRunning = false;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    void this.#look();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    const isMore = await this.#giveUp();
    if (!this.#isRunning) return;
    const delayMs = isMore ? pauseMs : lookEveryMs;
    this.#cancel = this.#options.clock.after(delayMs, () => void this.#look());
  }

  /** Resolves with whether there are more. What cannot be written now is found again later. */
  async #giveUp(): Promise<boolean> {
    const { store, unusedOf, onExpired } = this.#options;
    const given = store.waitingFor().map((destination) =>
      store.expire({
        destination,
        unused: () => unusedOf(destination),
        limit: eventsAtOnce,
        onExpired: onExpired(destination),
      }),
    );
    const counts = await Promise.allSettled(given);
    return counts.some((count) => count.status === 'fulfilled' && count.value === eventsAtOnce);
  }
}
