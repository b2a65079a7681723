import { Socket } from 'node:net';
import { openGuard, type AddressGuard } from '../../net/private-networks.js';
import { DirectConnector, readPiece, type Connector, type SocketUser } from '../connector.js';
import type { Network } from '../network.js';
import { ResponseHeaders } from '../response-headers.js';
import { TlsPeer } from '../tls-peer.js';
import type { TlsSettings } from '../tls.js';
import { hostOf, portOf } from '../url.js';
import { notConnected, proxyFailure } from './proxy-error.js';
import { proxyAuthorization, shownProxy } from './proxy-url.js';

/** What the tunnels of one connector have in common. */
interface TunnelSettings {
  /** For display. */
  readonly proxy: string;
  /** Host and port of the server behind it. */
  readonly authority: string;
  /** The CONNECT request. */
  readonly request: string;
  /** TLS with the server; undefined for plain HTTP. */
  readonly tls: TlsPeer | undefined;
}

export interface TunnelOptions {
  /** Where requests go. */
  readonly url: URL;
  /** A URL that `checkProxyUrl` accepts. */
  readonly proxy: string;
  /** Of the server. The proxy gets no certificate of the client, and is trusted by the same `ca`. */
  readonly tls: TlsSettings;
  /** To the server. */
  readonly network: Network;
  /** To the proxy. */
  readonly proxyNetwork: Network;
  /** Judges what stands in the URL alone, since the proxy resolves the name. */
  readonly guard: AddressGuard;
}

/** Connects to an origin through a tunnel of an HTTP proxy, RFC 9110 section 9.3.6. */
export class TunnelConnector implements Connector {
  readonly #toProxy: DirectConnector;
  readonly #refusal: () => Error | undefined;
  readonly #settings: TunnelSettings;

  constructor({ url, proxy, tls, network, proxyNetwork, guard }: TunnelOptions) {
    const proxyUrl = new URL(proxy);
    const { rejectUnauthorized, ca } = tls;
    const trusted = { rejectUnauthorized, ca };
    // The proxy is the operator's own, mostly at a private address.
    const open = openGuard(proxyNetwork.resolve);
    this.#toProxy = new DirectConnector(proxyUrl, trusted, proxyNetwork, open);
    const host = hostOf(url);
    this.#refusal = () => guard.refusal(host);
    const authority = `${url.hostname}:${portOf(url)}`;
    this.#settings = {
      proxy: shownProxy(proxy),
      authority,
      request: connectRequest(authority, proxyAuthorization(proxyUrl)),
      tls: url.protocol === 'https:' ? new TlsPeer(host, tls, network) : undefined,
    };
  }

  open(user: SocketUser): void {
    const refusal = this.#refusal();
    if (refusal) user.attached(new Socket().destroy(refusal));
    else this.#toProxy.open(new Tunnel(this.#settings, user));
  }
}

function connectRequest(authority: string, authorization: string | undefined): string {
  const lines = [`CONNECT ${authority} HTTP/1.1`, `host: ${authority}`];
  if (authorization !== undefined) lines.push(`proxy-authorization: ${authorization}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** One tunnel: uses the socket to the proxy until that is connected to the server, then gives it to its user. */
class Tunnel implements SocketUser {
  readonly #settings: TunnelSettings;
  readonly #user: SocketUser;
  /** Of the response to CONNECT; undefined once that is read. */
  #headers: ResponseHeaders | undefined = new ResponseHeaders();
  #socket!: Socket;

  constructor(settings: TunnelSettings, user: SocketUser) {
    this.#settings = settings;
    this.#user = user;
  }

  attached(socket: Socket): void {
    this.#socket = socket;
    this.#user.attached(socket, (error) => proxyFailure(error, this.#settings.proxy));
  }

  opened(): void {
    this.#socket.write(this.#settings.request, 'latin1');
  }

  read(bytes: Buffer, length: number): void {
    if (this.#headers) this.#readResponse(this.#headers, bytes, length);
    else this.#user.read(bytes, length);
  }

  #readResponse(headers: ResponseHeaders, bytes: Buffer, length: number): void {
    const end = headers.read(bytes, 0, length);
    const { status, isBroken, isWhole } = headers;
    const isRefused = status !== undefined && (status < 200 || status > 299);
    if (isRefused || isBroken) {
      const { proxy, authority } = this.#settings;
      this.#socket.destroy(notConnected(isRefused ? status : undefined, proxy, authority));
    } else if (isWhole) {
      this.#headers = undefined;
      // What follows is the server's, whatever the headers say of a body.
      this.#established(bytes.subarray(end), length - end);
    }
  }

  #established(bytes: Buffer, length: number): void {
    const { tls } = this.#settings;
    if (tls) {
      this.#secure(tls, bytes.subarray(0, length));
      return;
    }
    this.#user.attached(this.#socket);
    this.#user.opened();
    if (length > 0) this.#user.read(bytes, length);
  }

  #secure(tls: TlsPeer, first: Buffer): void {
    // A copy, since the buffer is overwritten; TLS reads it from the socket.
    if (first.length > 0) this.#socket.unshift(Buffer.from(first));
    const user = this.#user;
    const secure = tls
      .open({ socket: this.#socket })
      .once('secureConnect', () => user.opened())
      .on('data', (piece: Buffer) => readPiece(piece, user))
      .once('close', () => this.#socket.destroy());
    user.attached(secure);
  }
}
