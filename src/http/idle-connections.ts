import type { Clock } from '../clock.js';
import { mostOpenFiles } from '../net/open-files.js';
import type { Connection } from './connection.js';
import { Timeouts } from './timeouts.js';

/**
 * Idle connections are closed after this time. Servers close theirs after about 5 s (Node's default),
 * and a request that crosses such a close on the wire is lost.
 */
const keepAliveMs = 2_000;

/** Of all URLs of a process; a connection takes 10 to 40 KB. */
const mostIdle = 512;

/** The same for a process that may open so many files, of which a connection takes one. */
export function mostIdleFor(openFiles: number): number {
  return Math.min(mostIdle, Math.floor(openFiles / 4));
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
  /** By the clock of the process. */
  static readonly #ofProcesses = new WeakMap<Clock, AllIdle>();

  static of(clock: Clock): AllIdle {
    let all = this.#ofProcesses.get(clock);
    if (!all) this.#ofProcesses.set(clock, (all = new AllIdle(clock)));
    return all;
  }

  readonly #most = mostIdleFor(mostOpenFiles());
  readonly #drops = new WeakMap<Connection, (reason: Error) => void>();
  readonly #timeouts: Timeouts<Connection>;

  constructor(clock: Clock) {
    const expire = (connection: Connection): void => this.#drops.get(connection)?.(idleTooLong);
    this.#timeouts = new Timeouts(keepAliveMs, expire, clock);
  }

  /** `drop` closes it. */
  add(connection: Connection, drop: (reason: Error) => void): void {
    this.#drops.set(connection, drop);
    this.#timeouts.add(connection);
    if (this.#timeouts.size <= this.#most) return;
    const oldest = this.#timeouts.first!;
    this.#timeouts.delete(oldest);
    this.#drops.get(oldest)!(tooManyIdle);
  }

  delete(connection: Connection): void {
    this.#timeouts.delete(connection);
  }
}
