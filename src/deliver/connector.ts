import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { TlsSettings } from './tls.js';

/** It returns the socket before it is connected, which undici's types do not tell. */
type Connect = (...args: Parameters<buildConnector.connector>) => Socket;

/** An answer comes in pieces of at most this; most are far smaller. */
const readBytes = 8 * 1024;

/** Opens sockets to one origin, over TCP or TLS. */
export class Connector {
  readonly #url: URL;
  readonly #tls: TlsSettings;
  /** The last session of TLS, which spares the next socket half of the handshake. */
  #session: Buffer | undefined;

  constructor(url: URL, tls: TlsSettings) {
    this.#url = url;
    this.#tls = tls;
  }

  /**
   * Returns the socket that is being opened; `opened` is called when it is connected, trusted where
   * it is TLS, or with the reason why not. `read` gets what comes, in bytes that it must not keep.
   */
  open(
    read: (bytes: Buffer, length: number) => void,
    opened: (error: Error | null) => void,
  ): Socket {
    const { protocol, host, hostname, port } = this.#url;
    const connect = this.#connectorFor(read);
    const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const socket = connect({ protocol, host, hostname: bare, port }, (...[error]) => opened(error));
    if (protocol === 'https:') socket.on('session', (session: Buffer) => (this.#session = session));
    return socket;
  }

  /** One for each socket, since each has a function of its own that reads. */
  #connectorFor(read: (bytes: Buffer, length: number) => void): Connect {
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    return buildConnector({
      rejectUnauthorized: this.#tls.rejectUnauthorized,
      ...(this.#tls.ca && { ca: [...this.#tls.ca] }),
      ...(this.#session && { session: this.#session }),
      // The deadline of an attempt is the program's own.
      timeout: 0,
      onread: {
        buffer,
        callback: (length) => {
          read(buffer, length);
          return true;
        },
      },
    }) as Connect;
  }
}
