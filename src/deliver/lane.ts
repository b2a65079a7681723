import type { Clock } from '../clock.js';
import { Attempt, type Address, type Post } from './attempt.js';
import { Connection } from './connection.js';
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
  #pausedUntil = 0;
  #cancelResume: (() => void) | undefined;
  #gone = false;

  constructor(options: LaneOptions) {
    const url = new URL(options.url);
    this.url = withoutQuery(url);
    this.#options = options;
    this.#origin = url.origin;
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
    await Promise.all(this.#all.map((connection) => connection.close()));
  }

  #pump(): void {
    while (this.#waiting.size > 0 && !this.#isPaused()) {
      const connection = this.#gone ? undefined : this.#takeConnection();
      if (!connection && !this.#gone) return;
      const post = this.#waiting.shift()!;
      if (!post.wanted()) this.#putBack(connection);
      else if (connection) this.#start(post, connection);
      else this.#giveUp(post);
    }
  }

  #start(post: Post, connection: Connection): void {
    const watched = { ...post, done: (result: AttemptResult) => this.#heed(result, post) };
    new Attempt(watched, this.#address, connection, () => {
      this.#idle.push(connection);
      this.#pump();
    }).start();
  }

  /** What one answer says about the URL as a whole. */
  #heed(result: AttemptResult, post: Post): void {
    if (result.status === 410) this.#gone = true;
    if (result.retryAfterMs !== undefined) this.#pause(result.retryAfterMs);
    post.done(result);
  }

  #takeConnection(): Connection | undefined {
    const idle = this.#idle.pop();
    if (idle || this.#all.length >= this.#options.concurrency) return idle;
    const connection = new Connection(this.#origin, this.#options.tls);
    this.#all.push(connection);
    return connection;
  }

  #putBack(connection: Connection | undefined): void {
    if (connection) this.#idle.push(connection);
  }

  #isPaused(): boolean {
    return this.#pausedUntil > this.#options.clock.now();
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
