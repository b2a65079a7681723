import type { Clock } from '../clock.js';
import type { AttemptResult, Verdict } from './outcome.js';

/** Why an endpoint is considered down: the status of the last response, or why there was none. */
export type DownReason = Pick<AttemptResult, 'status' | 'error'>;

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** Maximum requests in flight while the endpoint is up. */
  readonly concurrency: number;
  /** How long one event is retried, in milliseconds; with 0 nothing is held back. */
  readonly windowMs: number;
  /**
   * Called when the endpoint is considered down by its own results, with the reason, and when it is up
   * again; not for `open` and `close`.
   */
  readonly onChange?: ((isDown: boolean, reason?: DownReason) => void) | undefined;
}

/**
 * Consecutive failures, at any concurrency, after which an endpoint counts as down. What is attempted in an
 * outage ends with its retry window, so no more events than these are attempted before the outage is known.
 */
export const failuresUntilDown = 16;
/** An endpoint that has not responded for this long gets no more than `failuresUntilDown` requests at once. */
const quietMs = 1_000;
/**
 * An outage is probed with events that were attempted before, which may fail for reasons of their own. So, unless no
 * connection can be made, an event that was not attempted probes it after this long, and again when the outage is 30
 * and 900 times as long: 3 of them in ten hours.
 */
const firstFreshProbeMs = 15_000;
const freshProbeGrowth = 30;
/**
 * The wait between probes, as a share of the outage so far: a recovery is noticed with a delay that is small beside
 * the outage, and one of ten hours costs about 1,700 requests.
 */
const probeWaitShare = 0.01;
const shortestProbeWaitMs = 125;
const maxProbeWaitMs = 30_000;
/** A timer counts whole milliseconds: a probe that is due sooner than this is due. */
const nearMs = 0.5;
/**
 * With a retry window below this the user wants to give up soon: after the window nothing is held back
 * anymore. Otherwise an outage would last for each event anew.
 */
const shortWindowMs = 60_000;

/**
 * Watches the attempts at one endpoint. While it is down, only single probes are sent, however long that
 * lasts, so that events that were not attempted keep their whole retry window. When it responds again, the
 * number of requests in flight doubles from one, so that it is not overloaded.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  /** How long requests are held back, from the first failure. */
  readonly #holdMs: number;
  #failures = 0;
  /** By `Clock.monotonic()`. */
  #failingSince = 0;
  /** By the same clock. */
  #respondedAt = -Infinity;
  /** Until a response; with a short retry window, requests are held back only during that. */
  #isConsideredDown = false;
  #limit: number;
  #probeAt = 0;
  /** After so much of the outage, the next probe should be an event that was not attempted. */
  #freshProbeAfterMs = firstFreshProbeMs;
  #mayRespond = true;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#holdMs = options.windowMs < shortWindowMs ? options.windowMs : Infinity;
    this.#limit = options.concurrency;
  }

  /** Whether only probes may be sent. */
  get isDown(): boolean {
    return this.#isConsideredDown && this.downForMs <= this.#holdMs;
  }

  /** Milliseconds since the first of the failures in a row. */
  get downForMs(): number {
    return this.#options.clock.monotonic() - this.#failingSince;
  }

  /** Maximum requests in flight now. Failures count against it, so that they are not replaced by others. */
  get limit(): number {
    if (this.#isConsideredDown) return this.isDown ? 1 : this.#limit;
    if (this.#holdMs === 0) return this.#limit;
    const isQuiet = this.#options.clock.monotonic() - this.#respondedAt >= quietMs;
    const limit = isQuiet ? Math.min(this.#limit, failuresUntilDown) : this.#limit;
    return Math.max(1, limit - this.#failures);
  }

  /** Milliseconds until the next request may be sent; 0 is now. */
  waitMs(): number {
    if (!this.isDown) return 0;
    const waitMs = this.#probeAt - this.#options.clock.monotonic();
    return waitMs < nearMs ? 0 : Math.ceil(waitMs);
  }

  /** Milliseconds until requests are no longer held back even without a response; Infinity if that is not limited. */
  get heldForMs(): number {
    return this.isDown ? this.#holdMs - this.downForMs : Infinity;
  }

  /** Whether the next probe should be an event that was not attempted before, see `firstFreshProbeMs`. */
  get wantsFreshProbe(): boolean {
    return this.isDown && this.#mayRespond && this.downForMs >= this.#freshProbeAfterMs;
  }

  /** Called when an event that was not attempted before is sent, maybe as a probe. */
  noteFreshProbe(): void {
    if (!this.wantsFreshProbe) return;
    while (this.#freshProbeAfterMs <= this.downForMs) this.#freshProbeAfterMs *= freshProbeGrowth;
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
  open(downForMs: number, reason?: DownReason): boolean {
    const now = this.#options.clock.monotonic();
    const since = now - Math.max(0, downForMs);
    if (this.#isConsideredDown) {
      this.#failingSince = Math.min(this.#failingSince, since);
      return false;
    }
    this.#failures = failuresUntilDown;
    this.#failingSince = since;
    this.#begin(now, reason);
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
      this.#mayRespond = mayRespond(reason);
      // Earlier results are of requests that were in flight when it went down.
      if (this.waitMs() === 0) this.#probeLater(now);
      return;
    }
    const isRecent = now - this.#failingSince <= this.#holdMs;
    if (this.#holdMs === 0 || this.#failures < failuresUntilDown || !isRecent) return;
    this.#begin(now, reason);
    this.#options.onChange?.(true, reason);
  }

  #begin(now: number, reason: DownReason | undefined): void {
    this.#isConsideredDown = true;
    this.#mayRespond = mayRespond(reason);
    this.#freshProbeAfterMs = firstFreshProbeMs;
    // For the time after a short window.
    this.#limit = this.#options.concurrency;
    this.#probeLater(now);
  }

  #noteResponse(): void {
    this.#failures = 0;
    this.#respondedAt = this.#options.clock.monotonic();
    if (this.close()) this.#options.onChange?.(false);
    this.#limit = Math.min(this.#limit * 2, this.#options.concurrency);
  }

  #probeLater(now: number): void {
    const waitMs = (now - this.#failingSince) * probeWaitShare;
    this.#probeAt = now + Math.min(Math.max(waitMs, shortestProbeWaitMs), maxProbeWaitMs);
  }
}

/** These end an attempt before its request is sent, so another event would fail in the same way. */
const errorsBeforeRequests: ReadonlySet<string | null> = new Set([
  'local_limit',
  'oauth2',
  'proxy_refused',
  'proxy_auth',
  'proxy_timeout',
  'proxy_status',
  'refused',
  'dns',
  'tls',
  'private_address',
]);

function mayRespond(reason: DownReason | undefined): boolean {
  return !errorsBeforeRequests.has(reason?.error ?? null);
}
