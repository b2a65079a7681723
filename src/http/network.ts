import { connect as openTcp, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as openTls, type ConnectionOptions } from 'node:tls';
import { resolveAll, type ResolveAll } from '../net/resolver.js';

/** How names are resolved and sockets are opened, passed in so that tests can replace it. */
export interface Network {
  readonly resolve: ResolveAll;
  readonly openTcp: (options: TcpNetConnectOpts) => Socket;
  /** The socket emits `secureConnect` once the peer is trusted, and `session` with each TLS session. */
  readonly openTls: (options: ConnectionOptions) => Socket;
}

/** @internal */
export const systemNetwork: Network = { resolve: resolveAll, openTcp, openTls };
