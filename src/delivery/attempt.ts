import type { Clock } from '../clock.js';
import type { ReceivedExcerpt } from '../http/body-excerpt.js';
import type { Connection, Exchange } from '../http/connection.js';
import type { Authorization } from './authorization.js';
import type { Linked } from '../collections/linked-list.js';
import { detailOf } from './describe-error.js';
import type { AttemptError, AttemptResult, ResponseExcerpt } from './outcome.js';
import type { OwnRequest } from './own-request.js';
import type { EncodedHeaders } from '../http/encoded-headers.js';
import type { Reading } from '../http/response-reader.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { Timed, Timeouts } from '../http/timeouts.js';
import { nameOfError, verdictOfStatus, type ErrorVerdict, type StatusVerdict } from './verdict.js';

/** A request, the same body at every attempt. Until it is sent, it is in the list of its endpoint queue. */
export interface QueuedRequest extends Linked<QueuedRequest> {
  readonly body: Buffer;
  /** Name, value, name, value, …; pass the same array for all requests to a URL, since it is encoded once. */
  readonly headers: readonly string[];
  /** Replaces the POST to the URL of the queue. */
  readonly own?: OwnRequest | undefined;
  /** Sent to this URL of the same origin; default: to the URL of the endpoint queue. */
  readonly sendsTo?: string | undefined;
  /**
   * The header lines of this request alone, each with its CRLF; asked for when an attempt is written, since
   * a signature may have the time of the attempt in it. Default: none.
   */
  headerLines?(): string;
  /** Called when it is written. If it is sent again, `body` is asked for again. */
  written?(): void;
  /** How many events it has; each takes a turn of a rate. Default 1. */
  readonly events?: number | undefined;
  /** 1 for the first attempt at this URL. */
  readonly attempt: number;
  /** Of the response to the attempt before. Default: none. */
  readonly status?: number | null;
  /** Whether it is still to be sent. */
  isWanted(): boolean;
  /** Whether its result decides nothing, since another URL has accepted the event. Default: false. */
  isSettled?(): boolean;
  /**
   * Called before it is sent, which can be long after it was posted. If it returns false, it is not
   * sent, and `done` is not called.
   */
  begin(): boolean;
  /** Called while it is queued, when the URL is paused or down. It may withdraw from the queue. */
  held?(): void;
  /**
   * Called once: at the status line of a 2xx, when the excerpt of another response has arrived, or when the
   * attempt fails without a response.
   */
  done(result: AttemptResult): void;
}

/** What an attempt needs from its endpoint queue. */
export interface AttemptContext {
  /** The URL for display, without its query. */
  readonly url: string;
  readonly clock: Clock;
  /** Time from the start to the status line, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether the URL is `http:` and has never responded. */
  readonly mayExpectTls: boolean;
  /** Whether a client certificate is sent and the URL has never responded. */
  readonly mayRefuseCertificate: boolean;
  /** Whether messages name the keys of `tls` in place of flags, as of a service. Default false. */
  readonly namesKeys: boolean | undefined;
  /** What the status of a response means for the event. */
  readonly verdictOfStatus: StatusVerdict;
  /** What it means for the event that there was no response. */
  readonly verdictOfError: ErrorVerdict;
  /** Sets the header of each request. Default: none. */
  readonly authorization: Authorization | undefined;
  /** Opens a new connection. */
  connect(): Connection;
  /** What a response said, without secrets. */
  excerptOf(received: ReceivedExcerpt, own: OwnRequest | undefined): ResponseExcerpt;
  /** Called once, at the status line or when the attempt fails without one: what it says about the URL. */
  learn(result: AttemptResult): void;
  /** Called once, after `learn`: see `QueuedRequest.done`. */
  report(result: AttemptResult, request: QueuedRequest): void;
  /** Called at most once, after `learn`: the excerpt of its response has not arrived yet. */
  awaitsExcerpt(attempt: Attempt): void;
  /** Called at most once, after `report`: its connection is not free yet. `isBodyWhole`: only the request is not. */
  drains(attempt: Attempt, isBodyWhole: boolean): void;
  /** Called once, last; unless closed, the connection is free for another request. */
  release(attempt: Attempt, connection: Connection): void;
}

const deadlinePassed = Object.assign(new Error('deadline passed'), { code: 'ETIMEDOUT' });
const abandoned = Object.assign(new Error('attempt abandoned'), { code: 'ECONNABORTED' });

/** One attempt to POST one request. */
export class Attempt implements Exchange, Timed<Attempt> {
  readonly headers: EncodedHeaders;
  readonly reading: Reading | undefined;
  /** When it began, then when its present time limit did; by `Clock.monotonic()`. */
  since: number;
  /** The time limit that applies to it now. */
  limit: Timeouts<Attempt>;
  previous: Attempt | undefined = undefined;
  next: Attempt | undefined = undefined;
  readonly #at: number;
  readonly #startedAt: number;
  readonly #request: QueuedRequest;
  readonly #context: AttemptContext;
  /** The line of its `Authorization`. */
  readonly #authorization: string | undefined;
  #connection: Connection;
  #isReported = false;
  /** The result of a response whose excerpt has not arrived. */
  #unexplained: AttemptResult | undefined;
  #mayResend = true;

  constructor(
    request: QueuedRequest,
    headers: EncodedHeaders,
    context: AttemptContext,
    connection: Connection,
    limit: Timeouts<Attempt>,
    authorization: string | undefined,
  ) {
    this.headers = headers;
    this.reading = request.own?.reading;
    this.#request = request;
    this.#context = context;
    this.#authorization = authorization;
    this.#connection = connection;
    this.limit = limit;
    this.#at = context.clock.now();
    this.#startedAt = context.clock.monotonic();
    this.since = this.#startedAt;
  }

  start(): void {
    this.#connection.start(this);
  }

  get body(): Buffer {
    return this.#request.body;
  }

  written(): void {
    this.#request.written?.();
  }

  headerLines(): string {
    const lines = this.#request.headerLines?.() ?? '';
    return this.#authorization === undefined ? lines : lines + this.#authorization;
  }

  /**
   * Ends it in any phase: DNS, connect, TLS, waiting for the response, or receiving a slow body. Before the
   * status line this is a timeout.
   */
  expire(): void {
    this.#connection.close(deadlinePassed);
  }

  /** Whether its result decides nothing. */
  get isSettled(): boolean {
    return this.#request.isSettled?.() ?? false;
  }

  /** Ends it as a `reset`. */
  abandon(): void {
    this.#mayResend = false;
    this.#connection.close(abandoned);
  }

  responded(status: number, retryAfter: string | undefined): void {
    const { own } = this.#request;
    if (status === 401 && this.#retriesWithNewToken()) {
      this.#unexplained = { ...this.#result(status, null, 'retry'), retriesAtOnce: true };
      this.#context.learn(this.#unexplained);
      return;
    }
    const verdict = own?.verdictOf?.(status) ?? this.#context.verdictOfStatus(status);
    const result = this.#result(status, null, verdict);
    if (!this.#keepsBody && (verdict === 'delivered' || verdictOfStatus(status) === 'delivered')) {
      this.#end(result);
      return;
    }
    const waitMs =
      verdict === 'retry' ? retryAfterMs(retryAfter, this.#context.clock.now()) : undefined;
    this.#unexplained = waitMs === undefined ? result : { ...result, retryAfterMs: waitMs };
    this.#context.learn(this.#unexplained);
  }

  /** Once: a second 401 is the answer. */
  #retriesWithNewToken(): boolean {
    const line = this.#authorization;
    if (line === undefined) return false;
    this.#context.authorization?.refused(line);
    return this.#request.status !== 401;
  }

  awaitsExcerpt(): void {
    if (this.#isReported) this.#context.drains(this, false);
    // A body that decides may take as long as the response.
    else if (!this.#keepsBody) this.#context.awaitsExcerpt(this);
  }

  explained(received: ReceivedExcerpt): void {
    if (this.#isReported) return;
    const { own } = this.#request;
    const { verdict: given, ...result } = this.#unexplained!;
    const verdict = given === 'delivered' ? (own?.verdictOfBody?.(received) ?? given) : given;
    const isSuccess = verdictOfStatus(result.status ?? 0) === 'delivered';
    const response = isSuccess ? undefined : this.#context.excerptOf(received, own);
    this.#report({ ...result, verdict, ...(response && { response }) });
  }

  get #keepsBody(): boolean {
    return this.reading?.keptBytes !== undefined;
  }

  draining(isBodyWhole: boolean): void {
    this.#context.drains(this, isBodyWhole);
  }

  ended(error: Error | undefined, isUntouched: boolean): void {
    const name = this.#isReported ? undefined : nameOfError(error);
    if (name === 'reset' && isUntouched && this.#connection.served > 0 && this.#mayResend) {
      this.#resend();
      return;
    }
    if (name !== undefined) this.#fail(error, name);
    this.#context.release(this, this.#connection);
  }

  /**
   * A server may close an idle connection just as it is used again, without a response. This is not a
   * failure: the same request is sent once more, on a new connection, within the same deadline.
   */
  #resend(): void {
    this.#mayResend = false;
    this.#connection = this.#context.connect();
    this.#connection.start(this);
  }

  #fail(error: Error | undefined, name: AttemptError): void {
    const { timeoutMs, mayExpectTls, mayRefuseCertificate, namesKeys } = this.#context;
    const result = this.#result(null, name, this.#context.verdictOfError(name));
    const detail = detailOf({ error, timeoutMs, mayExpectTls, mayRefuseCertificate, namesKeys });
    this.#end(detail === undefined ? result : { ...result, detail });
  }

  #end(result: AttemptResult): void {
    this.#context.learn(result);
    this.#report(result);
  }

  #report(result: AttemptResult): void {
    this.#isReported = true;
    this.#context.report(result, this.#request);
  }

  #result(
    status: number | null,
    error: AttemptError | null,
    verdict: AttemptResult['verdict'],
  ): AttemptResult {
    const { clock } = this.#context;
    const { attempt, own } = this.#request;
    const url = own?.url ?? this.#context.url;
    const durationMs = clock.monotonic() - this.#startedAt;
    return { url, attempt, at: this.#at, durationMs, status, error, verdict };
  }
}
