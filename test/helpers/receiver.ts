import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/** A recording HTTP server on a free port of loopback. */
export interface Receiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The bodies as parsed JSON, for what does not depend on bytes. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  readonly json: () => any[];
  /** Resolves as soon as `count` requests have come. */
  readonly atLeast: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `answer` decides on each request, at once or later; `undefined` leaves it without an answer. */
export async function startReceiver(
  answer: (
    request: ReceivedRequest,
    index: number,
  ) => Answer | undefined | Promise<Answer | undefined> = () => ({}),
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  const server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body };
      requests.push(request);
      const respond = (decided: Answer | undefined): void => {
        if (decided) response.writeHead(decided.status ?? 200, decided.headers).end('ok');
      };
      const decided = answer(request, requests.length - 1);
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
