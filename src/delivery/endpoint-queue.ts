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
  /** Requests in flight at once; more wait their turn. */
  readonly concurrency: number;
  /** Time from the start of an attempt to the status line, in milliseconds. */
  readonly timeoutMs: number;
  readonly tls: TlsSettings;
  readonly clock: Clock;
  /** Decides which addresses may be connected to; without one, all. */
  readonly guard?: AddressGuard | undefined;
  /** The longest pause that an answer can ask for, in milliseconds. */
  readonly maxPauseMs: number;
  /** A 410 ends the URL, and not only its event: it gets nothing more. Default false. */
  readonly disablesOnGone?: boolean | undefined;
  /** Called once, when a 410 has ended the URL, here or elsewhere. */
  readonly onGone?: () => void;
  /** Told what an answer says about the URL as a whole; not what came by `learn`. */
  readonly onNotice?: ((notice: EndpointNotice) => void) | undefined;
  /**
   * Told until when a `Retry-After` pauses the URL (milliseconds since 1970), again when the pause is
   * extended, and with undefined when it has ended.
   */
  readonly onPause?: ((untilMs: number | undefined) => void) | undefined;
  /** Told when the URL is taken to be down, and when it answers again. */
  readonly onDown?: ((isDown: boolean) => void) | undefined;
}

/**
 * The bounded way to one URL. What exceeds its connections waits here, where it can still be
 * paused or given up.
 */
export class EndpointQueue {
  readonly url: string;
  readonly #options: EndpointQueueOptions;
  readonly #context: AttemptContext;
  readonly #target: URL;
  readonly #connector: Connector;
  readonly #idle: IdleConnections;
  readonly #inFlight: Timeouts<Attempt>;
  /** Attempts whose result is known, and whose connections are not free yet. */
  readonly #draining: Timeouts<Attempt>;
  readonly #waiting = new LinkedList<QueuedRequest>();
  readonly #breaker: CircuitBreaker;
  #headers: readonly string[] | undefined;
  #head: RequestHeaders | undefined;
  #cancelProbe: (() => void) | undefined;
  /** By `Clock.monotonic()`, while a pause lasts. */
  #pausedUntil: number | undefined;
  /** Its end as it was reported last, by the same clock. */
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
      report: (result, post) => this.#apply(result, post),
      drains: (attempt) => {
        this.#inFlight.delete(attempt);
        this.#draining.add(attempt);
      },
      release: (attempt, connection) => this.#release(attempt, connection),
    };
  }

  /** True once a 410 has ended the URL: it gets nothing more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Sends as soon as a connection is free and no pause lasts. */
  post(post: QueuedRequest): void {
    this.#waiting.add(post);
    this.#pump();
  }

  /**
   * Takes back what others have sped past: a post that still waits for its turn behind more than the
   * URL may be behind with. Returns what that comes to, or undefined when it may go on waiting.
   */
  overtake(post: QueuedRequest): AttemptResult | undefined {
    if (this.#waiting.size <= maxBehind) return undefined;
    this.#waiting.delete(post);
    return this.#unsent(post, behindResult);
  }

  /** Drops what waits and is wanted no more, without waiting for its turn. */
  sweep(): void {
    for (const post of this.#waiting.toArray()) if (!post.isWanted()) this.#waiting.delete(post);
  }

  /** Heeds what an answer has told another lane to the same URL. */
  applyNotice(notice: EndpointNotice): void {
    if (notice.kind === 'paused') this.#applyPause(notice.untilMs);
    else if (this.#disable()) this.#leave();
  }

  /** Closes every connection; attempts in flight end as `reset`, and so does what waits. */
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
    while (this.#waiting.size > 0 && (this.#isOver() || this.#mayStart())) {
      const post = this.#waiting.first!;
      this.#waiting.delete(post);
      if (!post.begin()) continue;
      if (this.#isOver()) this.#giveUp(post);
      else this.#start(post);
    }
  }

  /** Whether nothing is sent any more. */
  #isOver(): boolean {
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

  #start(post: QueuedRequest): void {
    const connection = this.#idle.take() ?? this.#context.connect();
    const attempt = new Attempt(post, this.#headersFor(post.headers), this.#context, connection);
    this.#inFlight.add(attempt);
    attempt.start();
  }

  #release(attempt: Attempt, connection: Connection): void {
    (attempt.isDraining ? this.#draining : this.#inFlight).delete(attempt);
    this.#idle.put(connection);
    if (this.#connectionsInUse() === 0) this.#idle.letGo();
    this.#pump();
  }

  #headersFor(headers: readonly string[]): RequestHeaders {
    if (this.#head === undefined || this.#headers !== headers) {
      this.#headers = headers;
      this.#head = new RequestHeaders(this.#target, headers);
    }
    return this.#head;
  }

  /** What one answer says about the URL as a whole. */
  #apply(result: AttemptResult, post: QueuedRequest): void {
    const isEnd = result.status === 410 && this.#disable();
    if (result.retryAfterMs !== undefined) this.#pause(result.retryAfterMs);
    this.#breaker.note(result.verdict);
    post.done(result);
    if (!isEnd) return;
    this.#options.onNotice?.({ kind: 'gone' });
    this.#leave();
  }

  /** Returns whether this ends the URL now. */
  #disable(): boolean {
    if (this.#gone || this.#options.disablesOnGone !== true) return false;
    this.#gone = true;
    return true;
  }

  /** Nothing waits any longer for a URL that is gone. */
  #leave(): void {
    this.#options.onGone?.();
    this.#pump();
  }

  #pause(forMs: number): void {
    if (!this.#extendPause(forMs)) return;
    const untilMs = this.#reportPause();
    if (untilMs !== undefined) this.#options.onNotice?.({ kind: 'paused', untilMs });
  }

  /** As `#pause`, where another lane has told the news. */
  #applyPause(untilMs: number): void {
    if (this.#extendPause(untilMs - this.#options.clock.now())) this.#reportPause();
  }

  /** Pauses the URL for so long from now on. Returns false where that ends no later than before. */
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

  #giveUp(post: QueuedRequest): void {
    post.done(this.#unsent(post, this.#gone ? goneResult : closedResult));
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
 * What follows a result is waited for so long, to keep the connection: about as long as a new one over
 * TLS takes. Longer would cost more than it saves, since the connection takes no request meanwhile.
 */
const maxDrainMs = 100;
/** A pause that is extended by less is not reported again. */
const minReportedExtensionMs = 1_000;
/** So many first tries may wait at a URL for events that another URL has taken. */
const maxBehind = 512;
const behindResult = { error: 'behind', verdict: 'failed' } as const;
const goneResult = { error: 'gone', verdict: 'failed' } as const;
const closedResult = { error: 'reset', verdict: 'retry' } as const;
const queueClosed = new Error('lane closed');
