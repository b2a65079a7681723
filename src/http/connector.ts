import { isIP, Socket, type OnReadOpts } from 'node:net';
import type { SecureContext } from 'node:tls';
import { openGuard, type AddressGuard } from '../net/private-networks.js';
import { systemNetwork, type Network } from './network.js';
import { secureContext, type TlsSettings } from './tls.js';

/** What sockets of this thread receive, one after the other; most responses are far smaller. */
const received = Buffer.allocUnsafeSlow(8 * 1024);
/** An idle TCP connection is probed after this long, so that a dead peer is noticed. */
const tcpKeepAliveMs = 60_000;

/** Reads `bytes[0, length)`; it must not keep them, since the buffer is overwritten. */
export type Read = (bytes: Buffer, length: number) => void;

/** Opens sockets to one origin, over TCP or TLS. */
export class Connector {
  readonly #isSecure: boolean;
  readonly #host: string;
  readonly #port: number;
  readonly #tls: TlsSettings;
  readonly #network: Network;
  readonly #guard: AddressGuard;
  /** Created at the first connection, since plain HTTP needs none. */
  #context: SecureContext | undefined;
  /** The last TLS session, which saves the next socket half of the handshake. */
  #session: Buffer | undefined;

  /** Only addresses that the guard permits are connected to; by default, all. */
  constructor(
    url: URL,
    tls: TlsSettings,
    network: Network = systemNetwork,
    guard: AddressGuard = openGuard(network.resolve),
  ) {
    const { protocol, hostname, port } = url;
    this.#isSecure = protocol === 'https:';
    this.#host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    this.#port = port === '' ? (this.#isSecure ? 443 : 80) : Number(port);
    this.#tls = tls;
    this.#network = network;
    this.#guard = guard;
  }

  /**
   * Returns a socket that is being opened; `opened` is called when it is connected and, with TLS,
   * trusted. A socket that cannot be opened emits `error`, then `close`.
   */
  open(read: Read, opened: () => void): Socket {
    const refusal = this.#guard.refusal(this.#host);
    if (refusal) return new Socket().destroy(refusal);
    const socket = this.#isSecure ? this.#openTls(read) : this.#openTcp(read);
    return socket
      .once(this.#isSecure ? 'secureConnect' : 'connect', opened)
      .setKeepAlive(true, tcpKeepAliveMs)
      .setNoDelay(true);
  }

  #openTcp(read: Read): Socket {
    return this.#network.openTcp(this.#socketOptions(read));
  }

  #openTls(read: Read): Socket {
    this.#context ??= secureContext(this.#tls);
    const socket = this.#network.openTls({
      ...this.#socketOptions(read),
      rejectUnauthorized: this.#tls.rejectUnauthorized,
      secureContext: this.#context,
      session: this.#session,
      ALPNProtocols: ['http/1.1'],
      // SNI carries names, not addresses: RFC 6066 section 3.
      ...(isIP(this.#host) === 0 && { servername: this.#host }),
    });
    return socket.on('session', (session: Buffer) => (this.#session = session));
  }

  #socketOptions(read: Read) {
    const { lookup } = this.#guard;
    return { host: this.#host, port: this.#port, lookup, onread: readingInto(read) };
  }
}

/** Reads are not interleaved: each callback returns before the next socket is read. */
function readingInto(read: Read): OnReadOpts {
  return {
    buffer: received,
    callback: (length) => {
      read(received, length);
      return true;
    },
  };
}
