import type { Clock } from '../clock.js';
import type { Connection, Exchange } from '../http/connection.js';
import type { Linked } from '../collections/linked-list.js';
import type { AttemptResult } from './outcome.js';
import type { RequestHeaders } from '../http/request-headers.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { Timed } from '../http/timeouts.js';
import { nameOfError, verdictOfError, verdictOfStatus } from './verdict.js';

/** What is sent, the same at every try. While it waits for its turn, it is in the list of its lane. */
export interface QueuedRequest extends Linked<QueuedRequest> {
  readonly body: Buffer;
  /** Name, value, name, value, …; best one and the same array for all posts to a URL. */
  readonly headers: readonly string[];
  /** Of the body, in lowercase hex: the value of `X-Signature`, which is not sent without one. */
  readonly signature?: string | undefined;
  /** 1 for the first try at this URL. */
  readonly attempt: number;
  /** Whether it still waits for its turn; asking changes nothing. */
  isWanted(): boolean;
  /**
   * Told that its turn has come, which can be long after it was posted. Whoever answers false
   * settles the matter there and then: `done` is not called.
   */
  begin(): boolean;
  /** Called once, at the status line or when there can be none. */
  done(result: AttemptResult): void;
}

/** Where attempts are made, and who is told of them. */
export interface AttemptContext {
  /** The URL, for people: without the query. */
  readonly url: string;
  readonly clock: Clock;
  /** A connection that was never used. */
  connect(): Connection;
  /** Called once, at the status line or when there can be none. */
  report(result: AttemptResult, post: QueuedRequest): void;
  /** Called once at most, behind `report`: its connection is not free yet. */
  drains(attempt: Attempt): void;
  /** Called once, last; the connection can take another request unless it is closed. */
  release(attempt: Attempt, connection: Connection): void;
}

const deadlinePassed = Object.assign(new Error('deadline passed'), { code: 'ETIMEDOUT' });
const abandoned = Object.assign(new Error('given up'), { code: 'ECONNABORTED' });

/** One try of one POST. */
export class Attempt implements Exchange, Timed<Attempt> {
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  readonly signature: string | undefined;
  /** When it began, then when its connection began to drain; by `Clock.monotonic()`. */
  since: number;
  /** Whether its result is known, and only its connection is not free yet. */
  isDraining = false;
  previous: Attempt | undefined = undefined;
  next: Attempt | undefined = undefined;
  readonly #at: number;
  readonly #startedAt: number;
  readonly #post: QueuedRequest;
  readonly #context: AttemptContext;
  #connection: Connection;
  #isReported = false;
  #mayResend = true;

  constructor(
    post: QueuedRequest,
    headers: RequestHeaders,
    context: AttemptContext,
    connection: Connection,
  ) {
    this.headers = headers;
    this.body = post.body;
    this.signature = post.signature;
    this.#post = post;
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
   * To be called when its time is over, whatever phase it is in: DNS, connect, TLS, waiting, or a
   * body that drips.
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
   * A server may close an idle connection at the very moment it is used again. Then nothing was
   * answered and nothing is wrong: the same bytes go out once more, on a new connection, within
   * the same deadline.
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
    const { attempt } = this.#post;
    const durationMs = clock.monotonic() - this.#startedAt;
    const result = { url, attempt, at: this.#at, durationMs, status, error, verdict };
    this.#context.report(
      waitMs === undefined ? result : { ...result, retryAfterMs: waitMs },
      this.#post,
    );
  }
}
