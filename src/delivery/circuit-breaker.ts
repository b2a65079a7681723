import type { Clock } from '../clock.js';
import type { AttemptResult, Verdict } from './outcome.js';

/** Why an endpoint is considered down: the status of the last response, or why there was none. */
export type DownReason = Pick<AttemptResult, 'status' | 'error'>;

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** Maximum requests in flight while the endpoint is up. */
  readonly concurrency: number;
  /**
   * How long it holds requests back, in milliseconds from the first failure: the retry window. After that
   * the first events fail for good, so holding back has no more use.
   */
  readonly windowMs: number;
  /**
   * Called when the endpoint is considered down by its own results, with the reason, and when it is up
   * again; not for `open` and `close`.
   */
  readonly onChange?: ((isDown: boolean, reason?: DownReason) => void) | undefined;
}

/** Consecutive failures, at any concurrency, after which an endpoint counts as down. */
const failuresUntilDown = 64;
/** The wait between probes doubles up to this; one request per second does not load an endpoint. */
const firstProbeMs = 125;
const longestProbeMs = 1_000;

/**
 * Watches the attempts at one endpoint. While it is down, only single probes are sent, so that neither
 * the store nor memory fills with retries. When it responds again, the number of requests in flight
 * doubles from one, so that it is not overloaded.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  /** By `Clock.monotonic()`. */
  #failingSince = 0;
  /** Until a response; requests are held back only during the window. */
  #isConsideredDown = false;
  #limit: number;
  #probeAt = 0;
  #probeMs = firstProbeMs;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#limit = options.concurrency;
  }

  /** Whether only probes may be sent. */
  get isDown(): boolean {
    return this.#isConsideredDown && this.downForMs <= this.#options.windowMs;
  }

  /** Milliseconds since the first of the failures in a row. */
  get downForMs(): number {
    return this.#options.clock.monotonic() - this.#failingSince;
  }

  /** Maximum requests in flight now. */
  get limit(): number {
    return this.isDown ? 1 : this.#limit;
  }

  /** Milliseconds until the next request may be sent; 0 is now. */
  waitMs(): number {
    return this.isDown ? Math.max(0, this.#probeAt - this.#options.clock.monotonic()) : 0;
  }

  /** Records the result of one attempt. A final failure shows that the endpoint is up. */
  note(verdict: Verdict, reason?: DownReason): void {
    if (verdict === 'retry') this.#noteFailure(reason);
    else this.#noteResponse();
  }

  /**
   * Applies that another breaker of the endpoint considers it down, for `downForMs` milliseconds already; of
   * several times the longest counts. Returns whether that is a change.
   */
  open(downForMs: number): boolean {
    const now = this.#options.clock.monotonic();
    const since = now - Math.max(0, downForMs);
    if (this.#isConsideredDown) {
      this.#failingSince = Math.min(this.#failingSince, since);
      return false;
    }
    this.#failures = failuresUntilDown;
    this.#failingSince = since;
    this.#begin(now);
    return true;
  }

  /** Applies that the endpoint has responded to another breaker's probe. Returns whether that is a change. */
  close(): boolean {
    if (!this.#isConsideredDown) return false;
    this.#failures = 0;
    this.#isConsideredDown = false;
    this.#limit = 1;
    return true;
  }

  #noteFailure(reason: DownReason | undefined): void {
    const now = this.#options.clock.monotonic();
    if (this.#failures++ === 0) this.#failingSince = now;
    if (this.#isConsideredDown) {
      // Earlier results are of requests that were in flight when it went down.
      if (now >= this.#probeAt) this.#probeLater(now);
      return;
    }
    const isRecent = now - this.#failingSince <= this.#options.windowMs;
    if (this.#failures < failuresUntilDown || !isRecent) return;
    this.#begin(now);
    this.#options.onChange?.(true, reason);
  }

  #begin(now: number): void {
    this.#isConsideredDown = true;
    // For the time after the window.
    this.#limit = this.#options.concurrency;
    this.#probeMs = firstProbeMs;
    this.#probeLater(now);
  }

  #noteResponse(): void {
    this.#failures = 0;
    if (this.close()) this.#options.onChange?.(false);
    this.#limit = Math.min(this.#limit * 2, this.#options.concurrency);
  }

  #probeLater(now: number): void {
    this.#probeAt = now + this.#probeMs;
    this.#probeMs = Math.min(this.#probeMs * 2, longestProbeMs);
  }
}
