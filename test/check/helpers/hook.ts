import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEachTest } from '../../helpers/after-each.js';

/** A request as an endpoint sees it. */
export interface Hook {
  readonly body: Buffer;
  readonly url: string;
  /** The value of a header; empty if it is not there. */
  readonly header: (name: string) => string;
  readonly incoming: IncomingMessage;
}

/** A status, and a body. */
export type Answer = number | readonly [status: number, body: string];

/** Answers each request; an error is answered 500. */
export type Endpoint = (hook: Hook) => Answer | Promise<Answer>;

const closers: (() => void)[] = [];

/** Starts an endpoint on loopback; it is closed after the test. */
export async function startEndpoint(endpoint: Endpoint): Promise<string> {
  const server = createServer((incoming, response) => {
    void buffer(incoming)
      .then(async (body) => {
        const header = (name: string) => [incoming.headers[name.toLowerCase()] ?? ''].flat()[0]!;
        const url = `http://${incoming.headers.host}${incoming.url}`;
        return endpoint({ body, url, header, incoming });
      })
      .catch((): Answer => [500, 'Internal Server Error'])
      .then((answer) => {
        const [status, text] = typeof answer === 'number' ? [answer, ''] : answer;
        response.writeHead(status).end(text);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

afterEachTest(() => {
  for (const close of closers.splice(0)) close();
});
