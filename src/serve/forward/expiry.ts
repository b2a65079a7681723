import type { Clock } from '../../clock.js';
import {
  expiryStart,
  type ExpiryPosition,
  type OnExpired,
  type Unused,
} from '../store/expiry-change.js';
import type { ServiceStore } from '../store/service-store.js';

export interface ExpiryOptions {
  readonly store: ServiceStore;
  readonly clock: Clock;
  /** What of a destination is stored only. */
  readonly unusedOf: (destination: string) => Unused;
  readonly onExpired: (destination: string) => OnExpired;
}

const lookEveryMs = 10 * 60 * 1000;
/** Looked at in one transaction; and how long others have until the next one. */
const eventsAtOnce = 200;
const pauseMs = 100;

/** Gives up what has waited too long, at destinations that are off or gone, too; a few at a time. */
export class Expiry {
  readonly #options: ExpiryOptions;
  #cancel: (() => void) | undefined;
  #isRunning = false;
  /** Destinations of which there is more to look at, from where on. */
  readonly #open = new Map<string, ExpiryPosition>();

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
    for (const destination of this.#options.store.waitingFor()) {
      this.#open.set(destination, expiryStart);
    }
    await this.#goOn();
  }

  async #goOn(): Promise<void> {
    await Promise.all(
      [...this.#open].map(([destination, from]) => this.#giveUp(destination, from)),
    );
    if (!this.#isRunning) return;
    this.#cancel =
      this.#open.size > 0
        ? this.#options.clock.after(pauseMs, () => void this.#goOn())
        : this.#options.clock.after(lookEveryMs, () => void this.#look());
  }

  /** What cannot be written now is found again at the next look. */
  async #giveUp(destination: string, from: ExpiryPosition): Promise<void> {
    const { store, unusedOf, onExpired } = this.#options;
    const next = await store
      .expire({
        destination,
        unused: () => unusedOf(destination),
        from,
        limit: eventsAtOnce,
        onExpired: onExpired(destination),
      })
      .catch(() => undefined);
    if (next) this.#open.set(destination, next);
    else this.#open.delete(destination);
  }
}
