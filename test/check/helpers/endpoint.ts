import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEachTest } from '../../helpers/after-each.js';

/** A request with its whole body. */
export interface Arrived {
  readonly message: IncomingMessage;
  readonly body: Buffer;
  /** From 0. */
  readonly index: number;
}

export interface Endpoint {
  readonly url: string;
  readonly server: Server;
  /** In the order in which their bodies ended. */
  readonly arrived: readonly Arrived[];
}

/** What an endpoint does with a request: a status, or a function that answers, or not. */
export type Behaviour = (request: Arrived, response: ServerResponse) => unknown;

const servers: Server[] = [];

/** Starts an endpoint on a free port of loopback; it is closed after the test. */
export async function startEndpoint(behaviour: Behaviour = () => 204): Promise<Endpoint> {
  const arrived: Arrived[] = [];
  const server = createServer((message, response) => {
    void buffer(message).then(
      (body) => {
        const request = { message, body, index: arrived.length };
        arrived.push(request);
        const status = behaviour(request, response);
        if (typeof status === 'number') response.writeHead(status).end();
      },
      () => undefined,
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, server, arrived };
}

afterEachTest(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
