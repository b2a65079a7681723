import { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { openLookup, type AddressGuard } from './private-networks.js';
import type { TlsSettings } from './tls.js';

/** It returns the socket before it is connected, which undici's types do not tell. */
type Connect = (...args: Parameters<buildConnector.connector>) => Socket;

/** An answer comes in pieces of at most this; most are far smaller. */
const readBytes = 8 * 1024;

/** Opens sockets to one origin, over TCP or TLS. */
export class Connector {
  readonly #url: URL;
  readonly #tls: TlsSettings;
  readonly #guard: AddressGuard | undefined;
  /** The last session of TLS, which spares the next socket half of the handshake. */
  #session: Buffer | undefined;

  /** With a guard, only to addresses that it lets pass. */
  constructor(url: URL, tls: TlsSettings, guard?: AddressGuard) {
    this.#url = url;
    this.#tls = tls;
    this.#guard = guard;
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
    const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const refusal = this.#guard?.refusal(bare);
    if (refusal) return unopened(refusal, opened);
    const connect = this.#connectorFor(read);
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
      lookup: this.#guard?.lookup ?? openLookup,
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

/** A socket that never opens; its owner is told why when it has it. */
function unopened(reason: Error, opened: (error: Error) => void): Socket {
  process.nextTick(opened, reason);
  return new Socket();
}
