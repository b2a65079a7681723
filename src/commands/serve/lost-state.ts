import type { Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import type { Log } from '../../serve/log.js';

/** How long writes of the state may fail (clients get 503 and retry) before the service ends. */
const maxLostStateMs = 10_000;

/**
 * Ends the service when its state cannot be written for long, since a restart may fix that. Until then
 * the service recovers by itself, e.g. once there is disk space again.
 */
export class LostState {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #onLost: (error: StateError) => void;
  #service: { readonly failure: unknown } | undefined;
  #cancel: (() => void) | undefined;

  constructor(log: Log, clock: Clock, onLost: (error: StateError) => void) {
    this.#log = log;
    this.#clock = clock;
    this.#onLost = onLost;
  }

  /** The service has started. Commits may have failed before. */
  begin(service: { readonly failure: unknown }): void {
    this.#service = service;
  }

  /** A commit has failed. */
  note(failure: unknown): void {
    if (this.#cancel) return;
    const { message } = failure as Error;
    this.#log.error({ reason: message }, 'the state cannot be written; clients get 503');
    this.#cancel = this.#clock.after(maxLostStateMs, () => {
      this.#cancel = undefined;
      const still = this.#service ? this.#service.failure : failure;
      if (still === undefined) this.#log.info({}, 'the state can be written again');
      else this.#onLost(still instanceof StateError ? still : new StateError(message));
    });
  }

  end(): void {
    this.#cancel?.();
  }
}
