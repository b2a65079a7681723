import type { Clock } from '../clock.js';
import type { Connection, Exchange } from '../http/connection.js';
import type { Linked } from '../collections/linked-list.js';
import type { AttemptResult } from './outcome.js';
import type { RequestHeaders } from '../http/request-headers.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { Timed } from '../http/timeouts.js';
import { nameOfError, verdictOfError, verdictOfStatus } from './verdict.js';

/** A request, the same bytes at every attempt. Until it is sent, it is in the list of its endpoint queue. */
export interface QueuedRequest extends Linked<QueuedRequest> {
  readonly body: Buffer;
  /** Name, value, name, value, …; pass the same array for all requests to a URL, since it is encoded once. */
  readonly headers: readonly string[];
  /** The value of `X-Signature`, in lowercase hex; without one the header is not sent. */
  readonly signature?: string | undefined;
  /** 1 for the first attempt at this URL. */
  readonly attempt: number;
  /** Whether it is still to be sent. */
  isWanted(): boolean;
  /**
   * Called before it is sent, which can be long after it was posted. If it returns false, it is not
   * sent, and `done` is not called.
   */
  begin(): boolean;
  /** Called once: at the status line, or when the attempt fails without one. */
  done(result: AttemptResult): void;
}

/** What an attempt needs from its endpoint queue. */
export interface AttemptContext {
  /** The URL for display, without its query. */
  readonly url: string;
  readonly clock: Clock;
  /** Opens a new connection. */
  connect(): Connection;
  /** Called once: at the status line, or when the attempt fails without one. */
  report(result: AttemptResult, request: QueuedRequest): void;
  /** Called at most once, after `report`: its connection is not free yet. */
  drains(attempt: Attempt): void;
  /** Called once, last; unless closed, the connection is free for another request. */
  release(attempt: Attempt, connection: Connection): void;
}

const deadlinePassed = Object.assign(new Error('deadline passed'), { code: 'ETIMEDOUT' });
const abandoned = Object.assign(new Error('attempt abandoned'), { code: 'ECONNABORTED' });

/** One attempt to POST one request. */
export class Attempt implements Exchange, Timed<Attempt> {
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  readonly signature: string | undefined;
  /** When it began, then when its connection began to drain; by `Clock.monotonic()`. */
  since: number;
  /** Whether its result is known, but its connection is not free yet. */
  isDraining = false;
  previous: Attempt | undefined = undefined;
  next: Attempt | undefined = undefined;
  readonly #at: number;
  readonly #startedAt: number;
  readonly #request: QueuedRequest;
  readonly #context: AttemptContext;
  #connection: Connection;
  #isReported = false;
  #mayResend = true;

  constructor(
    request: QueuedRequest,
    headers: RequestHeaders,
    context: AttemptContext,
    connection: Connection,
  ) {
    this.headers = headers;
    this.body = request.body;
    this.signature = request.signature;
    this.#request = request;
    this.#context = context;
    this.#connection = connection;
    this.#at = context.clock.now();
    this.#startedAt = context.clock.monotonic();
    this.since = this.#startedAt;
  }

  start(): void {
    this.#connection.start(this);
  }

  /**
   * Ends it as a timeout in any phase: DNS, connect, TLS, waiting for the response, or receiving a slow
   * body.
   */
  expire(): void {
    this.#connection.close(deadlinePassed);
  }

  /** Ends it as a `reset`. */
  abandon(): void {
    this.#mayResend = false;
    this.#connection.close(abandoned);
  }

  responded(status: number, retryAfter: string | undefined): void {
    const verdict = verdictOfStatus(status);
    const waitMs =
      verdict === 'retry' ? retryAfterMs(retryAfter, this.#context.clock.now()) : undefined;
    this.#report(status, null, verdict, waitMs);
  }

  draining(): void {
    this.isDraining = true;
    this.since = this.#context.clock.monotonic();
    this.#context.drains(this);
  }

  ended(error: Error | undefined, isUntouched: boolean): void {
    const name = this.#isReported ? undefined : nameOfError(error);
    if (name === 'reset' && isUntouched && this.#connection.served > 0 && this.#mayResend) {
      this.#resend();
      return;
    }
    if (name !== undefined) this.#report(null, name, verdictOfError(name), undefined);
    this.#context.release(this, this.#connection);
  }

  /**
   * A server may close an idle connection just as it is used again, without a response. This is not a
   * failure: the same bytes are sent once more, on a new connection, within the same deadline.
   */
  #resend(): void {
    this.#mayResend = false;
    this.#connection = this.#context.connect();
    this.#connection.start(this);
  }

  #report(
    status: number | null,
    error: AttemptResult['error'],
    verdict: AttemptResult['verdict'],
    waitMs: number | undefined,
  ): void {
    this.#isReported = true;
    const { url, clock } = this.#context;
    const { attempt } = this.#request;
    const durationMs = clock.monotonic() - this.#startedAt;
    const result = { url, attempt, at: this.#at, durationMs, status, error, verdict };
    this.#context.report(
      waitMs === undefined ? result : { ...result, retryAfterMs: waitMs },
      this.#request,
    );
  }
}
