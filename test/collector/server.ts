import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A status, with headers where it matters. */
export type Answer = number | { readonly status: number; readonly headers: Record<string, string> };

export interface Collector {
  readonly url: string;
  readonly received: Received[];
  /** The calls of every batch, in the order of arrival. */
  calls(): Record<string, unknown>[];
  /** Resolves when so many requests have come. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A collector on a free port; `answer` is asked with the number of the request, from 0. */
export async function startCollector(
  answer: (request: number) => Answer | Promise<Answer> = () => 200,
): Promise<Collector> {
  const received: Received[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      const number = received.push({ path: url, headers, body: Buffer.concat(chunks) }) - 1;
      waiters = waiters.filter(({ count, resolve }) => {
        if (received.length >= count) resolve();
        return received.length < count;
      });
      void Promise.resolve(answer(number)).then((given) => {
        const { status, headers = {} } = typeof given === 'number' ? { status: given } : given;
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify({ success: status === 200 }));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    calls: () => received.flatMap(({ body }) => JSON.parse(body.toString('utf8')).batch),
    arrived: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
