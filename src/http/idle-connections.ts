import type { Clock } from '../clock.js';
import type { Connection } from './connection.js';
import { Timeouts } from './timeouts.js';

/**
 * Idle connections are closed after this time. Servers close theirs after about 5 s (Node's default),
 * and a request that crosses such a close on the wire is lost.
 */
const keepAliveMs = 2_000;

const idleTooLong = new Error('idle too long');

/** Open connections without a request; the one used last is reused first. */
export class IdleConnections {
  readonly #clock: Clock;
  readonly #connections: Connection[] = [];
  readonly #timeouts: Timeouts<Connection>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timeouts = new Timeouts(keepAliveMs, (idle) => idle.close(idleTooLong), clock);
  }

  put(connection: Connection): void {
    if (connection.isClosed) return;
    this.#connections.push(connection);
    connection.since = this.#clock.monotonic();
    this.#timeouts.add(connection);
  }

  take(): Connection | undefined {
    for (;;) {
      const connection = this.#connections.pop();
      if (!connection) return undefined;
      this.#timeouts.delete(connection);
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
    this.#timeouts.takeAll();
    for (const connection of this.#connections.splice(0)) connection.close(reason);
  }
}
