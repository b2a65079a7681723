import type { Clock } from '../clock.js';
import { SessionEnded } from './session-ended.js';

/** How many requests may be in flight outside of `load.parallel`. */
export const maxInFlight = 8;

/**
 * Limits requests: a bucket that holds the requests of one second and refills steadily, and the number in
 * flight. Turns are taken in the order in which they are asked for. Once slowed down, the bucket holds one
 * request: a limiter counts what comes at once.
 */
export class Pace {
  readonly #fullRate: number;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #rate: number;
  /** How many requests the bucket holds. */
  #size: number;
  #pausedUntil = 0;
  #tokens: number;
  #filledAt: number;
  #inFlight = 0;
  readonly #waiting: (() => void)[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(rate: number, clock: Clock, signal: AbortSignal) {
    this.#fullRate = rate;
    this.#rate = rate;
    this.#size = Math.max(1, rate);
    this.#clock = clock;
    this.#signal = signal;
    this.#tokens = this.#size;
    this.#filledAt = clock.monotonic();
  }

  /** Requests per second. */
  get rate(): number {
    return this.#rate;
  }

  /** Whether fewer requests are sent than were asked for. */
  get isSlowed(): boolean {
    return this.#rate < this.#fullRate;
  }

  /** Sends at most this many requests per second from now on, one by one; never more than before. */
  slowDown(rate: number): void {
    this.#refill();
    this.#rate = Math.min(rate, this.#rate);
    this.#size = 1;
    this.#tokens = Math.min(this.#tokens, this.#size);
  }

  /** @param time of `monotonic()`: no turn is given before */
  pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(time, this.#pausedUntil);
  }

  /** Back to the rate of the beginning. */
  restore(): void {
    this.#refill();
    this.#rate = this.#fullRate;
    this.#size = Math.max(1, this.#fullRate);
  }

  /** Resolves when this many requests may go out at once. @throws SessionEnded when the run is stopped */
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
    for (;;) {
      if (this.#signal.aborted) throw new SessionEnded();
      const waitMs = this.#waitFor(count);
      if (waitMs <= 0) break;
      await this.#wait(waitMs);
    }
    this.#tokens -= count;
  }

  /** A pause or a lower rate may have come during a wait. */
  #waitFor(count: number): number {
    this.#refill(count);
    const missing = count - this.#tokens;
    const isEnough = missing < 1e-9;
    return Math.max(
      isEnough ? 0 : (missing * 1000) / this.#rate,
      this.#pausedUntil - this.#clock.monotonic(),
    );
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

  /** @param count what is asked for: the bucket holds it in any case */
  #refill(count = 1): void {
    const now = this.#clock.monotonic();
    const grown = this.#tokens + ((now - this.#filledAt) * this.#rate) / 1000;
    this.#tokens = Math.min(Math.max(this.#size, count), grown);
    this.#filledAt = now;
  }

  async #enter(): Promise<void> {
    if (this.#inFlight < maxInFlight) this.#inFlight++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The next in the queue may start, or one fewer is in flight. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inFlight--;
  }
}
