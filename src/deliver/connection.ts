import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { AnswerHead } from './answer-head.js';
import type { TlsSettings } from './tls.js';

/**
 * Idle connections are closed after this long. Servers close theirs after about 5 s (Node's
 * default), and a request that crosses such a close on the wire is lost.
 */
const keepAliveMs = 2_000;

/** It returns the socket before it is connected, which undici's types do not tell. */
type Connector = (...args: Parameters<buildConnector.connector>) => Socket;

/**
 * One HTTP/1.1 connection to one origin, opened when first used and again after each close.
 *
 * Each connection has an undici Client of its own, so that an attempt knows its socket: a deadline
 * can end it in every phase (DNS, connect, TLS, waiting), and a reset tells whether it hit a
 * connection that had answered before.
 */
export class Connection {
  readonly client: Client;
  /** How many answers this socket has given. */
  served = 0;
  /** The beginning of what comes back for the current request. */
  head = new AnswerHead();
  #socket: Socket | undefined;

  constructor(origin: string, tls: TlsSettings) {
    // The deadline of an attempt is the program's own, so undici's timers are off.
    const connector = buildConnector({
      rejectUnauthorized: tls.rejectUnauthorized,
      ...(tls.ca && { ca: [...tls.ca] }),
      timeout: 0,
    }) as Connector;
    this.client = new Client(origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      connect: (options, callback) => {
        this.#adopt(connector(options, callback));
      },
    });
  }

  /** Ends the current request, whatever phase it is in; its handler gets `reason`. */
  break(reason: Error): void {
    this.#socket?.destroy(reason);
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
    await this.client.destroy();
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.served = 0;
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      for (;;) {
        const chunk = read(size) as Buffer | null;
        const passed = chunk && this.head.take(chunk);
        if (passed !== null || chunk === null) return passed;
      }
    };
  }
}
