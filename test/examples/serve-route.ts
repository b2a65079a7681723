import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a route.ts of Next.js exports. */
export interface Route {
  readonly POST: (request: Request) => Promise<Response>;
}

export interface Served {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Serves a route as Next.js does: 405 to other methods, and 500 without a body to what it throws. */
export async function serveRoute(route: Route): Promise<Served> {
  const server = createServer((incoming, outgoing) => void respond(route, incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port, stop };
}

async function respond(
  { POST }: Route,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = '', url = '/' } = incoming;
  if (method !== 'POST') {
    outgoing.writeHead(405).end();
    return;
  }
  try {
    const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const body = new Uint8Array(await buffer(incoming));
    const request = new Request(new URL(url, 'http://localhost'), { method, headers, body });
    const response = await POST(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(new Uint8Array(await response.arrayBuffer()));
  } catch {
    if (!outgoing.headersSent) outgoing.writeHead(500);
    outgoing.end();
  }
}
