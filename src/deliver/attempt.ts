import type { Dispatcher } from 'undici';
import { AnswerHead } from './answer-head.js';
import type { Connection } from './connection.js';
import type { AttemptResult } from './outcome.js';
import { retryAfterMs } from './retry-after.js';
import { nameOfError, verdictOfError, verdictOfStatus } from './verdict.js';

/** What is sent, the same at every try. */
export interface Post {
  readonly body: Buffer;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  /** 1 for the first try at this URL. */
  readonly attempt: number;
  /**
   * Asked when its turn comes, which can be long after it was posted. Whoever answers false
   * settles the matter there and then: `done` is not called.
   */
  readonly wanted: () => boolean;
  /** Called once, at the status line or when there can be none. */
  readonly done: (result: AttemptResult) => void;
}

/** Where it is sent. */
export interface Address {
  /** For people: without the query. */
  readonly shown: string;
  /** With the query. */
  readonly path: string;
  readonly timeoutMs: number;
}

/** No verdict depends on a body; so much is read to keep the connection, then it is closed. */
const maxBodyBytes = 16 * 1024;

/** setTimeout fires at once for a longer delay than this (2^31 - 1 ms). */
const longestTimerMs = 2_147_483_647;

const deadlinePassed = Object.assign(new Error('deadline passed'), { code: 'ETIMEDOUT' });
const bodyTooLong = new Error('response body longer than needed');

/**
 * One try of one POST on one connection: the only place that speaks HTTP to a target.
 * The deadline runs from `start` to the status line, through DNS, connect and TLS; afterwards it
 * bounds how long a body may drip.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #post: Post;
  readonly #address: Address;
  readonly #connection: Connection;
  readonly #free: () => void;
  readonly #at = Date.now();
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #answered = false;
  #reportedAlready = false;
  #expired = false;
  #resent = false;
  #bodyBytes = 0;

  /** `free` is called once, when the connection can take another request. */
  constructor(post: Post, address: Address, connection: Connection, free: () => void) {
    this.#post = post;
    this.#address = address;
    this.#connection = connection;
    this.#free = free;
  }

  start(): void {
    const delayMs = Math.min(this.#address.timeoutMs, longestTimerMs);
    this.#timer = setTimeout(() => this.#expire(), delayMs);
    this.#dispatch();
  }

  #dispatch(): void {
    this.#connection.head = new AnswerHead();
    this.#connection.client.dispatch(
      {
        method: 'POST',
        path: this.#address.path,
        headers: this.#post.headers as string[],
        body: this.#post.body,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#expired) controller.abort(deadlinePassed);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#answered = true;
    this.#connection.served++;
    this.#report(status, headers['retry-after']);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > maxBodyBytes) controller.abort(bodyTooLong);
  }

  onResponseEnd(): void {
    this.#release();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#mayResend(error)) {
      this.#resent = true;
      this.#dispatch();
      return;
    }
    if (!this.#answered) this.#reportNoAnswer(error);
    this.#release();
  }

  /**
   * A server may close an idle connection at the very moment it is used again. Then nothing was
   * answered and nothing is wrong: the same bytes go out once more, on a new connection, within
   * the same deadline.
   */
  #mayResend(error: Error): boolean {
    return (
      this.#connection.served > 0 &&
      !this.#resent &&
      !this.#expired &&
      this.#connection.head.isEmpty &&
      nameOfError(error) === 'reset'
    );
  }

  #expire(): void {
    this.#expired = true;
    if (!this.#answered) this.#reportNoAnswer(deadlinePassed);
    this.#connection.break(deadlinePassed);
  }

  /** The status line decides, even where headers that undici could read never came. */
  #reportNoAnswer(error: unknown): void {
    const { status } = this.#connection.head;
    if (status === undefined) this.#reportError(error);
    else this.#report(status, undefined);
  }

  #reportError(error: unknown): void {
    const name = nameOfError(error);
    this.#finish({ status: null, error: name, verdict: verdictOfError(name) });
  }

  #report(status: number, retryAfter: string | string[] | undefined): void {
    const verdict = verdictOfStatus(status);
    const waitMs = verdict === 'retry' ? retryAfterMs(retryAfter, Date.now()) : undefined;
    this.#finish({
      status,
      error: null,
      verdict,
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    });
  }

  #finish(result: Pick<AttemptResult, 'status' | 'error' | 'verdict' | 'retryAfterMs'>): void {
    if (this.#reportedAlready) return;
    this.#reportedAlready = true;
    this.#post.done({
      url: this.#address.shown,
      attempt: this.#post.attempt,
      at: this.#at,
      durationMs: performance.now() - this.#startedAt,
      ...result,
    });
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#free();
  }
}
