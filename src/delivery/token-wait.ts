import type { Clock } from '../clock.js';
import type { QueuedRequest } from './attempt.js';
import type { Authorization } from './authorization.js';

/** Why there is no token for an attempt, and how long it has waited for one. */
export interface MissingToken {
  readonly reason: string;
  /** Fractional milliseconds. */
  readonly waitedMs: number;
}

export interface TokenWaitOptions {
  readonly clock: Clock;
  readonly authorization: Authorization;
  /** There is a line now: the request can be sent. */
  readonly onLine: (request: QueuedRequest, line: string) => void;
  /** The attempt has failed. */
  readonly onMissing: (request: QueuedRequest, why: MissingToken) => void;
  /**
   * The credentials are refused, and whoever sends is about to stop: requests wait on until they are withdrawn. Default:
   * their attempts fail.
   */
  readonly onRefused?: ((reason: string) => void) | undefined;
}

/** Requests to one URL that have begun, and wait for a token before anything of them is sent. */
export class TokenWait {
  readonly #options: TokenWaitOptions;
  readonly #requests = new Set<QueuedRequest>();

  constructor(options: TokenWaitOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** Fetches a token; calls `onLine` or `onMissing` once, unless the request is removed before. */
  async add(request: QueuedRequest): Promise<void> {
    const { clock, authorization, onLine, onMissing, onRefused } = this.#options;
    this.#requests.add(request);
    const startedAt = clock.monotonic();
    const problem = await authorization.fetch();
    if (!this.#requests.has(request)) return;
    const { line } = authorization;
    if (line === undefined && problem?.isInvalidClient && onRefused) {
      onRefused(problem.reason);
      return;
    }
    this.#requests.delete(request);
    if (line !== undefined) onLine(request, line);
    else {
      const reason = problem?.reason ?? 'the token had ended before it was used';
      onMissing(request, { reason, waitedMs: clock.monotonic() - startedAt });
    }
  }

  /** Returns whether it has waited. */
  remove(request: QueuedRequest): boolean {
    return this.#requests.delete(request);
  }

  /** Removes all of them. */
  takeAll(): readonly QueuedRequest[] {
    const all = [...this.#requests];
    this.#requests.clear();
    return all;
  }
}
