import { isIP, type Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import type { Network } from './network.js';
import { secureContext, type TlsSettings } from './tls.js';

/** Opens TLS to one host. */
export class TlsPeer {
  readonly #host: string;
  readonly #settings: TlsSettings;
  readonly #network: Network;
  /** Created at the first connection, since it may never be needed. */
  #context: SecureContext | undefined;
  /** The last session, which saves the next socket half of the handshake. */
  #session: Buffer | undefined;

  constructor(host: string, settings: TlsSettings, network: Network) {
    this.#host = host;
    this.#settings = settings;
    this.#network = network;
  }

  /** @param options where to: `host` and `port`, or a `socket` that is open */
  open(options: ConnectionOptions): Socket {
    this.#context ??= secureContext(this.#settings);
    const socket = this.#network.openTls({
      ...options,
      rejectUnauthorized: this.#settings.rejectUnauthorized,
      secureContext: this.#context,
      session: this.#session,
      ALPNProtocols: ['http/1.1'],
      // SNI carries names, not addresses: RFC 6066 section 3.
      ...(isIP(this.#host) === 0 && { servername: this.#host }),
    });
    return socket.on('session', (session: Buffer) => (this.#session = session));
  }
}
