import { Socket, type OnReadOpts } from 'node:net';
import { openGuard, type AddressGuard } from '../net/private-networks.js';
import { systemNetwork, type Network } from './network.js';
import { TlsPeer } from './tls-peer.js';
import type { TlsSettings } from './tls.js';
import { hostOf, portOf } from './url.js';

/** What sockets of this thread receive, one after the other; most responses are far smaller. */
const received = Buffer.allocUnsafeSlow(8 * 1024);
/** An idle TCP connection is probed after this long, so that a dead peer is noticed. */
const tcpKeepAliveMs = 60_000;

/** What uses a socket, and is told how far it is. */
export interface SocketUser {
  /**
   * Called at once with the socket to watch and to close, and again when another one takes its place, or its errors
   * mean something else from now on. A socket that cannot be opened emits `error`, then `close`.
   *
   * @param meaningOf what an error of it means, also one that it is closed with. Default: what it says
   */
  attached(socket: Socket, meaningOf?: (error: Error) => Error): void;
  /** The socket is connected and, with TLS, trusted. */
  opened(): void;
  /** Reads `bytes[0, length)`; it must not keep them, since the buffer is overwritten. */
  read(bytes: Buffer, length: number): void;
}

/** Opens sockets to one origin. */
export interface Connector {
  open(user: SocketUser): void;
}

/** Connects to the origin itself, over TCP or TLS. */
export class DirectConnector implements Connector {
  readonly #host: string;
  readonly #port: number;
  /** Undefined for plain HTTP. */
  readonly #tls: TlsPeer | undefined;
  readonly #network: Network;
  readonly #guard: AddressGuard;

  /** Only addresses that the guard permits are connected to; by default, all. */
  constructor(
    url: URL,
    tls: TlsSettings,
    network: Network = systemNetwork,
    guard: AddressGuard = openGuard(network.resolve),
  ) {
    this.#host = hostOf(url);
    this.#port = portOf(url);
    this.#tls = url.protocol === 'https:' ? new TlsPeer(this.#host, tls, network) : undefined;
    this.#network = network;
    this.#guard = guard;
  }

  open(user: SocketUser): void {
    const refusal = this.#guard.refusal(this.#host);
    if (refusal) {
      user.attached(new Socket().destroy(refusal));
      return;
    }
    const options = this.#socketOptions(user);
    const socket = this.#tls?.open(options) ?? this.#network.openTcp(options);
    socket
      .once(this.#tls ? 'secureConnect' : 'connect', () => user.opened())
      .setKeepAlive(true, tcpKeepAliveMs)
      .setNoDelay(true);
    user.attached(socket);
  }

  #socketOptions(user: SocketUser) {
    const { lookup } = this.#guard;
    return { host: this.#host, port: this.#port, lookup, onread: readingInto(user) };
  }
}

/** Reads are not interleaved: each callback returns before the next socket is read. */
function readingInto(user: SocketUser): OnReadOpts {
  return {
    buffer: received,
    callback: (length) => {
      user.read(received, length);
      return true;
    },
  };
}

/** Reads a piece that has a buffer of its own in the same way. */
export function readPiece(piece: Buffer, user: SocketUser): void {
  for (let at = 0; at < piece.length; at += received.length) {
    const length = piece.copy(received, 0, at);
    user.read(received, length);
  }
}
