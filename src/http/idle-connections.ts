import type { Clock } from '../clock.js';
import { maxOpenFiles } from '../net/open-files.js';
import type { Connection } from './connection.js';
import { Timeouts } from './timeouts.js';

/**
 * Idle connections are closed after this time. Servers close theirs after about 5 s (Node's default),
 * and a request that crosses such a close on the wire is lost.
 */
const keepAliveMs = 2_000;

/** The most idle connections of a process, to all URLs; each takes 10 to 40 KB. */
const maxIdle = 512;

/** The most idle connections of a process that may have `openFiles` files open; a connection is one of them. */
export function maxIdleFor(openFiles: number): number {
  return Math.min(maxIdle, Math.floor(openFiles / 4));
}

const idleTooLong = new Error('idle too long');
const tooManyIdle = new Error('too many idle connections');

/** Open connections to one URL without a request; the one used last is reused first. */
export class IdleConnections {
  readonly #clock: Clock;
  readonly #all: AllIdle;
  /** In the order in which they became idle. */
  readonly #connections: Connection[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#all = AllIdle.of(clock);
  }

  put(connection: Connection): void {
    if (connection.isClosed) return;
    this.#connections.push(connection);
    connection.since = this.#clock.monotonic();
    this.#all.add(connection, (reason) => this.#drop(connection, reason));
  }

  take(): Connection | undefined {
    for (;;) {
      const connection = this.#connections.pop();
      if (!connection) return undefined;
      this.#all.delete(connection);
      if (connection.isClosed) continue;
      connection.keepAlive(true);
      return connection;
    }
  }

  /** Lets the process exit before they are closed. */
  unref(): void {
    for (const connection of this.#connections) connection.keepAlive(false);
  }

  close(reason: Error): void {
    for (const connection of this.#connections.splice(0)) {
      this.#all.delete(connection);
      connection.close(reason);
    }
  }

  /** Always the first, since it is idle for the longest time. */
  #drop(connection: Connection, reason: Error): void {
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    connection.close(reason);
  }
}

/** The idle connections of all URLs, those first that are idle for the longest time. */
class AllIdle {
  /** There is one for each clock: a process has one, and each test its own. */
  static readonly #byClock = new WeakMap<Clock, AllIdle>();

  static of(clock: Clock): AllIdle {
    let all = this.#byClock.get(clock);
    if (!all) this.#byClock.set(clock, (all = new AllIdle(clock)));
    return all;
  }

  readonly #maxIdle = maxIdleFor(maxOpenFiles());
  readonly #drops = new WeakMap<Connection, (reason: Error) => void>();
  readonly #timeouts: Timeouts<Connection>;

  constructor(clock: Clock) {
    const expire = (connection: Connection): void => this.#drops.get(connection)?.(idleTooLong);
    this.#timeouts = new Timeouts(keepAliveMs, expire, clock);
  }

  /** `drop` closes the connection: it was idle for too long, or there are too many. */
  add(connection: Connection, drop: (reason: Error) => void): void {
    this.#drops.set(connection, drop);
    this.#timeouts.add(connection);
    if (this.#timeouts.size <= this.#maxIdle) return;
    const oldest = this.#timeouts.first!;
    this.#timeouts.delete(oldest);
    this.#drops.get(oldest)!(tooManyIdle);
  }

  delete(connection: Connection): void {
    this.#timeouts.delete(connection);
  }
}
