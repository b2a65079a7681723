import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cannotListen } from '../web/cannot-listen.js';
import { refuseMalformed } from '../web/refuse-malformed.js';
import type { RequestHandler } from './collect/api.js';
import { maxHeaderBytes } from './collect/limits.js';
import { answerConnectAndExpect } from './collect/connect-and-expect.js';
import { noteEarlyRefusal } from './collect/receive.js';
import { Refusal } from './collect/refusal.js';
import { ConnectionLimit, defaultMaxConnections } from './connection-limit.js';

/** Time limits of connections, in milliseconds. */
export interface Timeouts {
  readonly keepAliveTimeout: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}

const defaultTimeouts: Timeouts = {
  // Longer than any client's idle time: else clients post into connections that are being closed.
  keepAliveTimeout: 120_000,
  headersTimeout: 20_000,
  // Clients give up such slow uploads, too.
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
};

export interface HttpServerOptions {
  readonly handler: RequestHandler;
  /** Called with one line for each connection that is refused. */
  readonly onNote: (text: string) => void;
  /** Called for each refused request that has no handler. */
  readonly onRefused: (refusal: Refusal) => void;
  readonly timeouts?: Partial<Timeouts>;
  /** Open connections of clients; further ones get a 503. Default: `defaultMaxConnections()`. */
  readonly maxConnections?: number;
}

/** The HTTP server of the service. It listens on all addresses of `localhost`, which may have two. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #servers: Server[] = [];
  readonly #limit: ConnectionLimit;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { maxConnections = defaultMaxConnections(), onNote } = options;
    this.#limit = new ConnectionLimit(maxConnections, () =>
      onNote(`refused a connection: ${maxConnections} are open (503)`),
    );
  }

  /** Resolves to the port. @throws UsageError if host and port cannot be listened on */
  async listen(host: string, port: number): Promise<number> {
    try {
      // Before the first is open: requests are served from then on.
      const others = host === 'localhost' ? await addressesOfLocalhost() : [];
      const first = await this.#open(host, port);
      await this.#openOthers(first, others);
      return first.port;
    } catch (error) {
      throw cannotListen(error as NodeJS.ErrnoException, host, port);
    }
  }

  /** Accepts no new connections; resolves when those with requests in flight are closed. */
  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => new Promise((resolve) => server.close(resolve))),
    );
  }

  closeAllConnections(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }

  /** An address that this machine lacks does not keep the service from starting. */
  async #openOthers(first: AddressInfo, addresses: readonly string[]): Promise<void> {
    for (const address of addresses) {
      if (address !== first.address) await this.#open(address, first.port).catch(() => undefined);
    }
  }

  async #open(host: string, port: number): Promise<AddressInfo> {
    const server = this.#makeServer();
    server.listen({ host, port });
    await once(server, 'listening');
    this.#servers.push(server);
    return server.address() as AddressInfo;
  }

  #makeServer(): Server {
    const { handler, onRefused, timeouts } = this.#options;
    const server = createServer(
      // Without a Host header Node would refuse a request without a response body.
      { ...defaultTimeouts, ...timeouts, maxHeaderSize: maxHeaderBytes, requireHostHeader: false },
      handler,
    );
    // Node would leave out those beyond 1,000; their size is limited.
    server.maxHeadersCount = 0;
    // A client that has sent all and closed its side waits for the response, which Node would not send.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on(
      'clientError',
      refuseMalformed(({ status, code, reason }, request) => {
        const refusal = new Refusal(status, code, reason);
        // Its handler reports it, as it knows the source.
        if (request) noteEarlyRefusal(request, refusal);
        else onRefused(refusal);
      }),
    );
    answerConnectAndExpect(server, onRefused);
    this.#limit.applyTo(server);
    return server;
  }
}

/** None when the lookup fails, which does not keep the service from starting. */
async function addressesOfLocalhost(): Promise<string[]> {
  const found = await lookup('localhost', { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
