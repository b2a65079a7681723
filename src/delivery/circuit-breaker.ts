import type { Clock } from '../clock.js';
import type { Verdict } from './outcome.js';

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** Requests in flight when all is well. */
  readonly concurrency: number;
  /**
   * How long it holds back, in milliseconds: the retry window. After that nothing is gained by
   * waiting, for what was tried first is being given up.
   */
  readonly windowMs: number;
  /** Told when the URL is taken to be down, and when it is up again. */
  readonly onChange?: ((isDown: boolean) => void) | undefined;
}

/** So many tries must fail in a row, whatever the concurrency, before a URL counts as down. */
const failuresUntilDown = 64;
/** The wait between single probes doubles up to the second; one request a second harms nobody. */
const firstProbeMs = 125;
const longestProbeMs = 1_000;

/**
 * Watches the tries at one URL. When it is wholly down, single probes go out instead of the whole
 * stream, so that neither the store nor memory fills with retries; when it answers again, the number
 * of requests in flight doubles from one, so that it is not run over.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #failingSince = 0;
  #isDown = false;
  #limit: number;
  #probeAt = 0;
  #probeMs = firstProbeMs;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#limit = options.concurrency;
  }

  /** How many requests may be in flight now. */
  get limit(): number {
    return this.#isDown ? 1 : this.#limit;
  }

  /** How long until the next request may go, in milliseconds; 0 is now. */
  waitMs(): number {
    if (!this.#isDown) return 0;
    const now = this.#options.clock.monotonic();
    if (now - this.#failingSince <= this.#options.windowMs) return Math.max(0, this.#probeAt - now);
    this.#giveUp();
    return 0;
  }

  /** What one try came to. A final refusal is an answer like any other. */
  note(verdict: Verdict): void {
    if (verdict === 'retry') this.#noteFailure();
    else this.#noteAnswer();
  }

  #noteFailure(): void {
    const now = this.#options.clock.monotonic();
    if (this.#failures++ === 0) this.#failingSince = now;
    // Sooner come only those that were in flight when it went down.
    if (this.#isDown && now >= this.#probeAt) this.#probeLater(now);
    else if (
      !this.#isDown &&
      this.#failures >= failuresUntilDown &&
      now - this.#failingSince <= this.#options.windowMs
    ) {
      this.#isDown = true;
      this.#probeMs = firstProbeMs;
      this.#probeLater(now);
      this.#options.onChange?.(true);
    }
  }

  #noteAnswer(): void {
    this.#failures = 0;
    if (this.#isDown) {
      this.#isDown = false;
      this.#limit = 1;
      this.#options.onChange?.(false);
    }
    this.#limit = Math.min(this.#limit * 2, this.#options.concurrency);
  }

  #probeLater(now: number): void {
    this.#probeAt = now + this.#probeMs;
    this.#probeMs = Math.min(this.#probeMs * 2, longestProbeMs);
  }

  #giveUp(): void {
    this.#isDown = false;
    this.#limit = this.#options.concurrency;
  }
}
