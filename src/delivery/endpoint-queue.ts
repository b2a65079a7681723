import type { Clock } from '../clock.js';
import { Attempt, type AttemptContext, type QueuedRequest } from './attempt.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { Connection } from '../http/connection.js';
import { Connector } from '../http/connector.js';
import { IdleConnections } from '../http/idle-connections.js';
import type { EndpointNotice } from './endpoint-notice.js';
import { LinkedList } from '../collections/linked-list.js';
import type { AttemptResult } from './outcome.js';
import type { AddressGuard } from '../net/private-networks.js';
import { RequestHeaders } from '../http/request-headers.js';
import { Timeouts } from '../http/timeouts.js';
import type { TlsSettings } from '../http/tls.js';
import { withoutQuery } from '../http/url.js';

export interface EndpointQueueOptions {
  /** Absolute `http:` or `https:` URL. */
  readonly url: string;
  /** Maximum requests in flight; further ones are queued. */
  readonly concurrency: number;
  /** Time from the start of an attempt to the status line, in milliseconds. */
  readonly timeoutMs: number;
  readonly tls: TlsSettings;
  readonly clock: Clock;
  /** Decides which addresses may be connected to. Default: all. */
  readonly guard?: AddressGuard | undefined;
  /** The longest pause that a response can request, in milliseconds. */
  readonly maxPauseMs: number;
  /** Whether a 410 disables the URL, so that nothing more is sent to it. Default false. */
  readonly disablesOnGone?: boolean | undefined;
  /** Called once, when a 410 has disabled the URL, here or in another thread. */
  readonly onGone?: () => void;
  /** Called with what a response says about the URL as a whole; not for notices received by `applyNotice`. */
  readonly onNotice?: ((notice: EndpointNotice) => void) | undefined;
  /**
   * Called with the end of a pause requested by `Retry-After` (milliseconds since 1970), again when the
   * pause is extended, and with undefined when it has ended.
   */
  readonly onPause?: ((untilMs: number | undefined) => void) | undefined;
  /** Called when the URL is considered down, and when it is up again. */
  readonly onDown?: ((isDown: boolean) => void) | undefined;
}

/**
 * Sends requests to one URL with a limited number of connections. Further requests wait in the queue,
 * where they can still be paused or dropped.
 */
export class EndpointQueue {
  readonly url: string;
  readonly #options: EndpointQueueOptions;
  readonly #context: AttemptContext;
  readonly #target: URL;
  readonly #connector: Connector;
  readonly #idle: IdleConnections;
  readonly #inFlight: Timeouts<Attempt>;
  /** Attempts whose result is known, but whose connections are not free yet. */
  readonly #draining: Timeouts<Attempt>;
  readonly #waiting = new LinkedList<QueuedRequest>();
  readonly #breaker: CircuitBreaker;
  #requestHeadersers: readonly string[] | undefined;
  #requestHeaders: RequestHeaders | undefined;
  #cancelProbe: (() => void) | undefined;
  /** By `Clock.monotonic()`, while a pause lasts. */
  #pausedUntil: number | undefined;
  /** The end of the pause as last reported, by the same clock. */
  #reportedPauseUntil = -Infinity;
  #cancelResume: (() => void) | undefined;
  #gone = false;
  #isClosed = false;

  constructor(options: EndpointQueueOptions) {
    this.#target = new URL(options.url);
    this.url = withoutQuery(this.#target);
    this.#options = options;
    this.#connector = new Connector(this.#target, options.tls, options.guard);
    const { clock } = options;
    this.#idle = new IdleConnections(clock);
    this.#inFlight = new Timeouts(options.timeoutMs, (attempt) => attempt.expire(), clock);
    this.#draining = new Timeouts(maxDrainMs, (attempt) => attempt.expire(), clock);
    this.#breaker = new CircuitBreaker({
      clock,
      concurrency: options.concurrency,
      windowMs: options.maxPauseMs,
      onChange: options.onDown,
    });
    this.#context = {
      url: this.url,
      clock,
      connect: () => new Connection(this.#connector),
      report: (result, request) => this.#apply(result, request),
      drains: (attempt) => {
        this.#inFlight.delete(attempt);
        this.#draining.add(attempt);
      },
      release: (attempt, connection) => this.#release(attempt, connection),
    };
  }

  /** Whether a 410 has disabled the URL. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Sends the request as soon as a connection is free and the URL is not paused. */
  post(request: QueuedRequest): void {
    this.#waiting.add(request);
    this.#pump();
  }

  /**
   * Removes a queued request if the queue is longer than `maxBehind`. Returns its result, or undefined if
   * it stays in the queue.
   */
  withdrawIfBehind(request: QueuedRequest): AttemptResult | undefined {
    if (this.#waiting.size <= maxBehind) return undefined;
    this.#waiting.delete(request);
    return this.#unsent(request, behindResult);
  }

  /** Drops queued requests that are no longer wanted. */
  sweep(): void {
    for (const request of this.#waiting.toArray())
      if (!request.isWanted()) this.#waiting.delete(request);
  }

  /** Applies what another queue to the same URL has learned from a response. */
  applyNotice(notice: EndpointNotice): void {
    if (notice.kind === 'paused') this.#applyPause(notice.untilMs);
    else if (this.#disable()) this.#failQueued();
  }

  /** Closes every connection; attempts in flight and queued requests end as `reset`. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelResume?.();
    this.#cancelProbe?.();
    this.#idle.close(queueClosed);
    const attempts = [...this.#inFlight.takeAll(), ...this.#draining.takeAll()];
    for (const attempt of attempts) attempt.abandon();
    this.#pump();
    return Promise.resolve();
  }

  #pump(): void {
    while (this.#waiting.size > 0 && (this.#isDisabled() || this.#mayStart())) {
      const request = this.#waiting.first!;
      this.#waiting.delete(request);
      if (!request.begin()) continue;
      if (this.#isDisabled()) this.#fail(request);
      else this.#start(request);
    }
  }

  /** Whether no request can be sent anymore. */
  #isDisabled(): boolean {
    return this.#gone || this.#isClosed;
  }

  #mayStart(): boolean {
    if (this.#pausedUntil !== undefined) return false;
    if (this.#connectionsInUse() >= this.#breaker.limit) return false;
    const waitMs = this.#breaker.waitMs();
    if (waitMs > 0) this.#probeAfter(waitMs);
    return waitMs === 0;
  }

  #connectionsInUse(): number {
    return this.#inFlight.size + this.#draining.size;
  }

  #probeAfter(waitMs: number): void {
    this.#cancelProbe ??= this.#options.clock.after(waitMs, () => {
      this.#cancelProbe = undefined;
      this.#pump();
    });
  }

  #start(request: QueuedRequest): void {
    const connection = this.#idle.take() ?? this.#context.connect();
    const attempt = new Attempt(
      request,
      this.#headersFor(request.headers),
      this.#context,
      connection,
    );
    this.#inFlight.add(attempt);
    attempt.start();
  }

  #release(attempt: Attempt, connection: Connection): void {
    (attempt.isDraining ? this.#draining : this.#inFlight).delete(attempt);
    this.#idle.put(connection);
    if (this.#connectionsInUse() === 0) this.#idle.unref();
    this.#pump();
  }

  #headersFor(headers: readonly string[]): RequestHeaders {
    if (this.#requestHeaders === undefined || this.#requestHeadersers !== headers) {
      this.#requestHeadersers = headers;
      this.#requestHeaders = new RequestHeaders(this.#target, headers);
    }
    return this.#requestHeaders;
  }

  /** Applies a response to its request, and to the URL as a whole. */
  #apply(result: AttemptResult, request: QueuedRequest): void {
    const isLast = result.status === 410 && this.#disable();
    if (result.retryAfterMs !== undefined) this.#pause(result.retryAfterMs);
    this.#breaker.note(result.verdict);
    request.done(result);
    if (!isLast) return;
    this.#options.onNotice?.({ kind: 'gone' });
    this.#failQueued();
  }

  /** Returns whether the URL was enabled before. */
  #disable(): boolean {
    if (this.#gone || this.#options.disablesOnGone !== true) return false;
    this.#gone = true;
    return true;
  }

  /** Fails all queued requests of a URL that is gone. */
  #failQueued(): void {
    this.#options.onGone?.();
    this.#pump();
  }

  #pause(forMs: number): void {
    if (!this.#extendPause(forMs)) return;
    const untilMs = this.#reportPause();
    if (untilMs !== undefined) this.#options.onNotice?.({ kind: 'paused', untilMs });
  }

  /** As `#pause`, but for a notice of another queue. */
  #applyPause(untilMs: number): void {
    if (this.#extendPause(untilMs - this.#options.clock.now())) this.#reportPause();
  }

  /** Pauses the URL for `ms` from now. Returns false if that does not end later than the current pause. */
  #extendPause(ms: number): boolean {
    const { clock, maxPauseMs } = this.#options;
    const forMs = Math.min(ms, maxPauseMs);
    const until = clock.monotonic() + forMs;
    if (forMs <= 0 || until <= (this.#pausedUntil ?? -Infinity) || this.#isClosed) return false;
    this.#pausedUntil = until;
    this.#cancelResume?.();
    this.#cancelResume = clock.after(forMs, () => this.#resume());
    return true;
  }

  /**
   * Reports until when the URL is paused, and returns it (milliseconds since 1970). Responses that arrive
   * together ask for nearly the same pause; only changes of 1 s or more are reported.
   */
  #reportPause(): number | undefined {
    const { clock, onPause } = this.#options;
    const until = this.#pausedUntil!;
    if (until < this.#reportedPauseUntil + minReportedExtensionMs) return undefined;
    this.#reportedPauseUntil = until;
    const untilMs = Math.round(clock.now() + (until - clock.monotonic()));
    onPause?.(untilMs);
    return untilMs;
  }

  #resume(): void {
    this.#pausedUntil = undefined;
    this.#reportedPauseUntil = -Infinity;
    this.#options.onPause?.(undefined);
    this.#pump();
  }

  #fail(request: QueuedRequest): void {
    request.done(this.#unsent(request, this.#gone ? goneResult : closedResult));
  }

  #unsent(
    { attempt }: QueuedRequest,
    why: Pick<AttemptResult, 'error' | 'verdict'>,
  ): AttemptResult {
    const at = this.#options.clock.now();
    return { url: this.url, attempt, at, durationMs: 0, status: null, ...why };
  }
}

/**
 * How long to wait for the rest of a response in order to reuse the connection: about as long as opening a
 * new one over TLS. A longer wait costs more than it saves, since the connection is blocked meanwhile.
 */
const maxDrainMs = 100;
/** A pause that is extended by less is not reported again. */
const minReportedExtensionMs = 1_000;
/** Maximum first attempts queued at a URL for events that another URL has accepted. */
const maxBehind = 512;
const behindResult = { error: 'behind', verdict: 'failed' } as const;
const goneResult = { error: 'gone', verdict: 'failed' } as const;
const closedResult = { error: 'reset', verdict: 'retry' } as const;
const queueClosed = new Error('endpoint queue closed');
