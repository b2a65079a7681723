import type { Clock } from '../clock.js';
import { Attempt, type AttemptPlace, type Post } from './attempt.js';
import { Breaker } from './breaker.js';
import { Connection } from './connection.js';
import { Connector } from './connector.js';
import { IdleConnections } from './idle-connections.js';
import type { LaneNews } from './lane-news.js';
import { LinkedList } from './linked-list.js';
import type { AttemptResult } from './outcome.js';
import type { AddressGuard } from './private-networks.js';
import { RequestHead } from './request-head.js';
import { Timeouts } from './timeouts.js';
import type { TlsSettings } from './tls.js';
import { withoutQuery } from './url.js';

export interface LaneOptions {
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
  /** Called once, when the URL has answered 410, here or elsewhere. */
  readonly onGone?: () => void;
  /** Told what an answer says about the URL as a whole; not what came by `learn`. */
  readonly onNews?: ((news: LaneNews) => void) | undefined;
  /** Told when the URL is taken to be down, and when it answers again. */
  readonly onDown?: ((isDown: boolean) => void) | undefined;
}

/**
 * The bounded way to one URL. What exceeds its connections waits here, where it can still be
 * paused or given up.
 */
export class Lane {
  readonly url: string;
  readonly #options: LaneOptions;
  readonly #place: AttemptPlace;
  readonly #target: URL;
  readonly #connector: Connector;
  readonly #idle = new IdleConnections();
  readonly #inFlight: Timeouts<Attempt>;
  readonly #waiting = new LinkedList<Post>();
  readonly #breaker: Breaker;
  #headers: readonly string[] | undefined;
  #head: RequestHead | undefined;
  #cancelProbe: (() => void) | undefined;
  #pausedUntil = 0;
  #cancelResume: (() => void) | undefined;
  #gone = false;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#target = new URL(options.url);
    this.url = withoutQuery(this.#target);
    this.#options = options;
    this.#connector = new Connector(this.#target, options.tls, options.guard);
    this.#inFlight = new Timeouts(options.timeoutMs, (attempt) => attempt.expire());
    this.#breaker = new Breaker({
      clock: options.clock,
      concurrency: options.concurrency,
      windowMs: options.maxPauseMs,
      onChange: options.onDown,
    });
    this.#place = {
      url: this.url,
      connect: () => new Connection(this.#connector),
      report: (result, post) => this.#heed(result, post),
      release: (attempt, connection) => this.#release(attempt, connection),
    };
  }

  /** True once the URL has answered 410: it gets nothing more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Sends as soon as a connection is free and no pause lasts. */
  post(post: Post): void {
    this.#waiting.add(post);
    this.#pump();
  }

  /**
   * Takes back what others have sped past: a post that still waits for its turn behind more than the
   * URL may be behind with. Returns what that comes to, or undefined when it may go on waiting.
   */
  overtake(post: Post): AttemptResult | undefined {
    if (this.#waiting.size <= maxBehind) return undefined;
    this.#waiting.delete(post);
    return this.#unsent(post, behindResult);
  }

  /** Drops what waits and is wanted no more, without waiting for its turn. */
  sweep(): void {
    for (const post of this.#waiting.toArray()) if (!post.wanted()) this.#waiting.delete(post);
  }

  /** Heeds what an answer has told another lane to the same URL. */
  learn(news: LaneNews): void {
    if (news.kind === 'paused') this.#pauseUntil(news.untilMs);
    else if (!this.#gone) {
      this.#gone = true;
      this.#leave();
    }
  }

  /** Closes every connection; attempts in flight end as `reset`, and so does what waits. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelResume?.();
    this.#cancelProbe?.();
    this.#idle.close(laneClosed);
    for (const attempt of this.#inFlight.takeAll()) attempt.abandon();
    this.#pump();
    return Promise.resolve();
  }

  #pump(): void {
    while (this.#waiting.size > 0 && (this.#isOver() || this.#mayStart())) {
      const post = this.#waiting.first!;
      this.#waiting.delete(post);
      if (!post.wanted()) continue;
      if (this.#isOver()) this.#giveUp(post);
      else this.#start(post);
    }
  }

  /** Whether nothing is sent any more. */
  #isOver(): boolean {
    return this.#gone || this.#isClosed;
  }

  #mayStart(): boolean {
    if (this.#pausedUntil > 0 && this.#pausedUntil > this.#options.clock.now()) return false;
    if (this.#inFlight.size >= this.#breaker.limit) return false;
    const waitMs = this.#breaker.waitMs();
    if (waitMs > 0) this.#probeAfter(waitMs);
    return waitMs === 0;
  }

  #probeAfter(waitMs: number): void {
    this.#cancelProbe ??= this.#options.clock.after(waitMs, () => {
      this.#cancelProbe = undefined;
      this.#pump();
    });
  }

  #start(post: Post): void {
    const connection = this.#idle.take() ?? this.#place.connect();
    const attempt = new Attempt(post, this.#headFor(post.headers), this.#place, connection);
    this.#inFlight.add(attempt);
    attempt.start();
  }

  #release(attempt: Attempt, connection: Connection): void {
    this.#inFlight.delete(attempt);
    this.#idle.put(connection);
    if (this.#inFlight.size === 0) this.#idle.letGo();
    this.#pump();
  }

  #headFor(headers: readonly string[]): RequestHead {
    if (this.#head === undefined || this.#headers !== headers) {
      this.#headers = headers;
      this.#head = new RequestHead(this.#target, headers);
    }
    return this.#head;
  }

  /** What one answer says about the URL as a whole. */
  #heed(result: AttemptResult, post: Post): void {
    const goes = result.status === 410 && !this.#gone;
    if (goes) this.#gone = true;
    if (result.retryAfterMs !== undefined) this.#pause(result.retryAfterMs);
    this.#breaker.note(result.verdict);
    post.done(result);
    if (!goes) return;
    this.#options.onNews?.({ kind: 'gone' });
    this.#leave();
  }

  /** Nothing waits any longer for a URL that is gone. */
  #leave(): void {
    this.#options.onGone?.();
    this.#pump();
  }

  #pause(forMs: number): void {
    const { clock, maxPauseMs, onNews } = this.#options;
    const untilMs = clock.now() + Math.min(forMs, maxPauseMs);
    if (untilMs <= this.#pausedUntil) return;
    this.#pauseUntil(untilMs);
    onNews?.({ kind: 'paused', untilMs });
  }

  #pauseUntil(untilMs: number): void {
    const { clock, maxPauseMs } = this.#options;
    const now = clock.now();
    const until = Math.min(untilMs, now + maxPauseMs);
    if (until <= Math.max(now, this.#pausedUntil) || this.#isClosed) return;
    this.#pausedUntil = until;
    this.#cancelResume?.();
    this.#cancelResume = clock.after(until - now, () => this.#resume());
  }

  #resume(): void {
    this.#pausedUntil = 0;
    this.#pump();
  }

  #giveUp(post: Post): void {
    post.done(this.#unsent(post, this.#gone ? goneResult : closedResult));
  }

  #unsent({ attempt }: Post, why: Pick<AttemptResult, 'error' | 'verdict'>): AttemptResult {
    const at = this.#options.clock.now();
    return { url: this.url, attempt, at, durationMs: 0, status: null, ...why };
  }
}

/** So many first tries may wait at a URL for events that another URL has taken. */
const maxBehind = 512;
const behindResult = { error: 'behind', verdict: 'failed' } as const;
const goneResult = { error: 'gone', verdict: 'failed' } as const;
const closedResult = { error: 'reset', verdict: 'retry' } as const;
const laneClosed = new Error('lane closed');
