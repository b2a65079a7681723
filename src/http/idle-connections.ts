import type { Clock } from '../clock.js';
import type { Connection } from './connection.js';
import { Timeouts } from './timeouts.js';

/**
 * Idle connections are closed after this long. Servers close theirs after about 5 s (Node's
 * default), and a request that crosses such a close on the wire is lost.
 */
const keepAliveMs = 2_000;

const idleTooLong = new Error('idle too long');

/** Connections that wait for their next use, for a while. The last one in is the first out. */
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

  /** Undefined when there is none that is open. */
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

  /** A process that has nothing else to do may end before they are closed. */
  letGo(): void {
    for (const connection of this.#connections) connection.keepAlive(false);
  }

  close(reason: Error): void {
    this.#timeouts.takeAll();
    for (const connection of this.#connections.splice(0)) connection.close(reason);
  }
}
