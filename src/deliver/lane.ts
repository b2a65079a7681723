import type { Clock } from '../clock.js';
import { Attempt, type Address, type Post } from './attempt.js';
import { Connection } from './connection.js';
import { Breaker } from './breaker.js';
import type { AttemptResult } from './outcome.js';
import { Queue } from './queue.js';
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
  /** The longest pause that an answer can ask for, in milliseconds. */
  readonly maxPauseMs: number;
  /** Called once, when the URL has answered 410. */
  readonly onGone?: () => void;
  /** Told when the URL is taken to be down, and when it answers again. */
  readonly onDown?: ((isDown: boolean) => void) | undefined;
}

/**
 * The bounded way to one URL. What exceeds its connections waits here, where it can still be
 * paused or given up; undici's own queue can do neither.
 */
export class Lane {
  readonly url: string;
  readonly #options: LaneOptions;
  readonly #address: Address;
  readonly #origin: string;
  readonly #idle: Connection[] = [];
  readonly #all: Connection[] = [];
  readonly #waiting = new Queue<Post>();
  readonly #breaker: Breaker;
  #inFlight = 0;
  #cancelProbe: (() => void) | undefined;
  #pausedUntil = 0;
  #cancelResume: (() => void) | undefined;
  #gone = false;

  constructor(options: LaneOptions) {
    const url = new URL(options.url);
    this.url = withoutQuery(url);
    this.#options = options;
    this.#origin = url.origin;
    this.#breaker = new Breaker({
      clock: options.clock,
      concurrency: options.concurrency,
      windowMs: options.maxPauseMs,
      onChange: options.onDown,
    });
    this.#address = {
      shown: this.url,
      path: url.pathname + url.search,
      timeoutMs: options.timeoutMs,
    };
  }

  /** True once the URL has answered 410: it gets nothing more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Sends as soon as a connection is free and no pause lasts. */
  post(post: Post): void {
    this.#waiting.push(post);
    this.#pump();
  }

  /** Drops what waits and is wanted no more, without waiting for its turn. */
  sweep(): void {
    for (const post of this.#waiting.takeAll()) if (post.wanted()) this.#waiting.push(post);
  }

  /** Closes every connection; attempts in flight end as `reset`. */
  async close(): Promise<void> {
    this.#cancelResume?.();
    this.#cancelProbe?.();
    await Promise.all(this.#all.map((connection) => connection.close()));
  }

  #pump(): void {
    while (this.#waiting.size > 0 && (this.#gone || this.#mayStart())) {
      const post = this.#waiting.shift()!;
      if (!post.wanted()) continue;
      if (this.#gone) this.#giveUp(post);
      else this.#start(post, this.#takeConnection());
    }
  }

  #mayStart(): boolean {
    if (this.#pausedUntil > this.#options.clock.now()) return false;
    if (this.#inFlight >= this.#breaker.limit) return false;
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

  #start(post: Post, connection: Connection): void {
    const watched = { ...post, done: (result: AttemptResult) => this.#heed(result, post) };
    this.#inFlight++;
    new Attempt(watched, this.#address, connection, () => {
      this.#inFlight--;
      this.#idle.push(connection);
      this.#pump();
    }).start();
  }

  /** What one answer says about the URL as a whole. */
  #heed(result: AttemptResult, post: Post): void {
    const goes = result.status === 410 && !this.#gone;
    if (goes) this.#gone = true;
    if (result.retryAfterMs !== undefined) this.#pause(result.retryAfterMs);
    this.#breaker.note(result.verdict);
    post.done(result);
    if (goes) this.#leave();
  }

  /** Nothing waits any longer for a URL that is gone. */
  #leave(): void {
    this.#options.onGone?.();
    this.#pump();
  }

  /** Never more than the concurrency: so many are in flight at most. */
  #takeConnection(): Connection {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const connection = new Connection(this.#origin, this.#options.tls);
    this.#all.push(connection);
    return connection;
  }

  #pause(forMs: number): void {
    const { clock, maxPauseMs } = this.#options;
    const until = clock.now() + Math.min(forMs, maxPauseMs);
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#cancelResume?.();
    this.#cancelResume = clock.after(until - clock.now(), () => this.#resume());
  }

  #resume(): void {
    this.#pausedUntil = 0;
    this.#pump();
  }

  #giveUp(post: Post): void {
    post.done({
      url: this.url,
      attempt: post.attempt,
      at: this.#options.clock.now(),
      durationMs: 0,
      status: null,
      error: 'gone',
      verdict: 'failed',
    });
  }
}
