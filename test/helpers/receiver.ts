import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ReceiverResponse {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/** A recording HTTP server on a free port of loopback. */
export interface Receiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The bodies as parsed JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests inspect arbitrary bodies
  readonly json: () => any[];
  /** Resolves once `count` requests were received. */
  readonly atLeast: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `responder` returns the response to each request, or a promise of it; `undefined` sends none. */
export async function startReceiver(
  responder: (
    request: ReceivedRequest,
    index: number,
  ) => ReceiverResponse | undefined | Promise<ReceiverResponse | undefined> = () => ({}),
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  const server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body };
      requests.push(request);
      const respond = (decided: ReceiverResponse | undefined): void => {
        if (decided) response.writeHead(decided.status ?? 200, decided.headers).end('ok');
      };
      const decided = responder(request, requests.length - 1);
      if (decided instanceof Promise) void decided.then(respond);
      else respond(decided);
      for (const waiter of waiters) if (requests.length >= waiter.count) waiter.resolve();
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    json: () => requests.map(({ body }) => JSON.parse(body.toString('utf8'))),
    atLeast: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
