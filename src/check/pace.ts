import type { Clock } from '../clock.js';
import { SessionEnded } from './session-ended.js';

/** How many requests may be in flight outside of `load.parallel`. */
export const maxInFlight = 8;

/**
 * Limits requests: a bucket that holds the requests of one second and refills steadily, and the number in
 * flight. Turns are taken in the order in which they are asked for.
 */
export class Pace {
  readonly #rate: number;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #tokens: number;
  #filledAt: number;
  #inFlight = 0;
  readonly #waiting: (() => void)[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(rate: number, clock: Clock, signal: AbortSignal) {
    this.#rate = rate;
    this.#clock = clock;
    this.#signal = signal;
    this.#tokens = Math.max(1, rate);
    this.#filledAt = clock.monotonic();
  }

  /** Resolves when so many requests may go out at once. @throws SessionEnded when the run is stopped */
  take(count = 1): Promise<void> {
    const turn = this.#last.then(() => this.#fill(count));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Runs `work` as one of at most `maxInFlight`, when the rate allows it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      await this.take();
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #fill(count: number): Promise<void> {
    this.#refill();
    const missing = count - this.#tokens;
    if (missing > 0 && !this.#signal.aborted) {
      await this.#wait((missing * 1000) / this.#rate);
      this.#refill();
    }
    if (this.#signal.aborted) throw new SessionEnded();
    this.#tokens -= count;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#clock.after(ms, end);
      this.#signal.addEventListener('abort', end);
    });
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    const grown = this.#tokens + ((now - this.#filledAt) * this.#rate) / 1000;
    this.#tokens = Math.min(Math.max(1, this.#rate), grown);
    this.#filledAt = now;
  }

  async #enter(): Promise<void> {
    if (this.#inFlight < maxInFlight) this.#inFlight++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands its place on, or gives it back. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inFlight--;
  }
}
