import type { Clock } from '../../clock.js';
import type { Queries } from './queries.js';

const firstQuestions = 3;
const syncEveryMs = 5_000;
/** An answer much slower than the fastest one says little about the time at which it was made. */
const slowest = 2;
const slowestMs = 2;
/** The clocks drift apart by then, so that a slow answer is better than none. */
const maxAgeMs = 60_000;
/** A server that is so far off what is known was replaced by another, or its clock was set. */
const jumpMs = 1_000;

/** The clock of the server, which decides for all machines. */
export class StoreClock {
  readonly #queries: Queries;
  readonly #clock: Clock;
  /** Milliseconds since 1970 when `monotonic()` was 0. */
  #origin = 0;
  #syncedAt = -Infinity;
  #fastestMs = Infinity;
  #isStopped = false;
  #cancel: () => void = () => undefined;

  constructor(queries: Queries, clock: Clock) {
    this.#queries = queries;
    this.#clock = clock;
  }

  /** Asks for the time, a few times as the first answers may be slow, and goes on doing so. */
  async start(): Promise<void> {
    for (let n = 0; n < firstQuestions; n++) await this.#ask();
    this.#schedule();
  }

  /** Milliseconds since 1970, with fractions. */
  now(): number {
    return this.#origin + this.#clock.monotonic();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const next = async (): Promise<void> => {
      // A server that is away now is asked another time.
      await this.#ask().catch(() => undefined);
      this.#schedule();
    };
    this.#cancel = this.#clock.after(syncEveryMs, () => void next(), { keepsAlive: false });
  }

  async #ask(): Promise<void> {
    const sentAt = this.#clock.monotonic();
    const [row] = await this.#queries.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    const receivedAt = this.#clock.monotonic();
    const tookMs = receivedAt - sentAt;
    const origin = row!.ms - (sentAt + receivedAt) / 2;
    const isSlow = tookMs > this.#fastestMs * slowest + slowestMs;
    this.#fastestMs = Math.min(this.#fastestMs, tookMs);
    const isNear = Math.abs(origin - this.#origin) < jumpMs + tookMs;
    if (isSlow && isNear && receivedAt - this.#syncedAt < maxAgeMs) return;
    this.#syncedAt = receivedAt;
    this.#origin = origin;
  }
}
