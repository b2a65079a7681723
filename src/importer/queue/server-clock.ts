import type { Redis } from 'ioredis';
import type { Clock } from '../../clock.js';

const firstQuestions = 4;
const syncEveryMs = 5_000;
/** An answer much slower than the fastest one says little about the time at which it was made. */
const slowest = 2;
const slowestMs = 2;
/** The clocks drift apart by then, so that a slow answer is better than none. */
const maxAgeMs = 60_000;

/** The clock of the Redis server, which decides for all machines. */
export class ServerClock {
  readonly #client: Redis;
  readonly #clock: Clock;
  /** Milliseconds since 1970 when `monotonic()` was 0. */
  #origin = 0;
  #syncedAt = -Infinity;
  #fastestMs = Infinity;
  #connections = 0;
  #isSyncing = false;
  #isStopped = false;
  #cancel: () => void = () => undefined;

  constructor(client: Redis, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Asks for the time, a few times as the first answers may be slow, and goes on doing so. */
  async start(): Promise<void> {
    for (let n = 0; n < firstQuestions; n++) await this.#sync();
    this.#client.on('ready', this.#restart);
    this.#schedule();
  }

  /** Milliseconds since 1970, with fractions. */
  now(): number {
    return this.#origin + this.#clock.monotonic();
  }

  stop(): void {
    this.#isStopped = true;
    this.#client.off('ready', this.#restart);
    this.#cancel();
  }

  /** Another server may have taken its place; a question from before was answered late. */
  readonly #restart = (): void => {
    this.#connections++;
    this.#syncedAt = -Infinity;
    void this.#sync();
  };

  #schedule(): void {
    if (this.#isStopped) return;
    const next = () => void this.#sync().then(() => this.#schedule());
    this.#cancel = this.#clock.after(syncEveryMs, next, { keepsAlive: false });
  }

  async #sync(): Promise<void> {
    if (this.#isSyncing || this.#isStopped) return;
    this.#isSyncing = true;
    try {
      let connection: number;
      do {
        connection = this.#connections;
        await this.#ask();
      } while (connection !== this.#connections);
    } catch {
      // The connection was closed, or the server is loading: the next time will do.
    } finally {
      this.#isSyncing = false;
    }
  }

  async #ask(): Promise<void> {
    const connection = this.#connections;
    const sentAt = this.#clock.monotonic();
    const [seconds, microseconds] = await this.#client.time();
    if (connection !== this.#connections) return;
    const receivedAt = this.#clock.monotonic();
    const tookMs = receivedAt - sentAt;
    const isSlow = tookMs > this.#fastestMs * slowest + slowestMs;
    this.#fastestMs = Math.min(this.#fastestMs, tookMs);
    if (isSlow && receivedAt - this.#syncedAt < maxAgeMs) return;
    this.#syncedAt = receivedAt;
    const serverMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    this.#origin = serverMs - (sentAt + receivedAt) / 2;
  }
}
