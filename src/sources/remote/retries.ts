import type { Clock } from '../../clock.js';
import { SourceError } from '../source-error.js';

/** A request that failed for a reason that may pass. */
export class RetryableError extends Error {
  /** What the server asks to wait, in milliseconds. */
  readonly waitMs: number | undefined;
  /** Of the system or the HTTP client: `ECONNREFUSED`. */
  readonly code: string | undefined;

  /** `reason` is a part of a sentence: `HTTP 503 Service Unavailable`. */
  constructor(
    reason: string,
    { waitMs, code, cause }: { waitMs?: number; code?: string; cause?: unknown } = {},
  ) {
    super(reason, { cause });
    this.waitMs = waitMs;
    this.code = code;
  }
}

/** What is said before each wait. */
export interface Retry {
  /** What is read: a URL without its query. */
  readonly name: string;
  readonly reason: string;
  readonly waitMs: number;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** A server that asks for more is asked again after this time. */
const longestAskedMs = 120_000;
/** As long as an outage may take without a byte read. */
const patienceMs = 10 * 60_000;

/** The waits of one reading: longer after each failure, until there is progress or patience ends. */
export class Retries {
  readonly #name: string;
  readonly #options: RetryOptions;
  #failures = 0;
  #lastProgress: number;

  constructor(name: string, options: RetryOptions) {
    this.#name = name;
    this.#options = options;
    this.#lastProgress = options.clock.monotonic();
  }

  progressed(): void {
    this.#failures = 0;
    this.#lastProgress = this.#options.clock.monotonic();
  }

  /**
   * Waits before the next attempt.
   *
   * @throws any other error than `RetryableError` as it is, SourceError when patience ends, and the signal's reason
   */
  async wait(error: unknown, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (!(error instanceof RetryableError)) throw error;
    const { clock, onRetry } = this.#options;
    const backoffMs = Math.min(firstWaitMs * 2 ** this.#failures++, longestWaitMs);
    const waitMs = Math.max(backoffMs, Math.min(error.waitMs ?? 0, longestAskedMs));
    if (clock.monotonic() + waitMs - this.#lastProgress > patienceMs) throw givenUp(error);
    onRetry?.({ name: this.#name, reason: error.message, waitMs });
    await pause(waitMs, clock, signal);
    signal?.throwIfAborted();
  }
}

function givenUp(error: RetryableError): SourceError {
  const reason = `could not be read for ten minutes: ${error.message}`;
  return new SourceError(reason, { advice: 'run again when it can be reached', cause: error });
}

function pause(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener('abort', end);
  });
}
