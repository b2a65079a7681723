import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verify } from '../../sign/x-signature.js';

/** The counts of the demo's receiver. */
export interface Received {
  requests: number;
  validSignatures: number;
  injectedFailures: number;
  /** Events that were accepted before. */
  repeats: number;
  /** messageIds of the accepted events. */
  readonly accepted: Set<string>;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received;
  close(): Promise<void>;
}

/**
 * A typical webhook endpoint: it verifies the signature of each body, and responds with 503 to the first
 * attempt of every tenth request, unless `refusesSome` is false.
 */
export async function startReceiver(
  secret: string,
  { refusesSome = true }: { readonly refusesSome?: boolean } = {},
): Promise<Receiver> {
  const received: Received = {
    requests: 0,
    validSignatures: 0,
    injectedFailures: 0,
    repeats: 0,
    accepted: new Set(),
  };
  const refused = new Set<string>();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { messageId } = JSON.parse(body.toString('utf8')) as { messageId: string };
      const isFirstAttempt = !refused.has(messageId);
      received.requests++;
      if (verify(body, String(request.headers['x-signature']), secret)) received.validSignatures++;
      if (refusesSome && isFirstAttempt && received.requests % 10 === 0) {
        refused.add(messageId);
        received.injectedFailures++;
        response.writeHead(503).end();
        return;
      }
      if (received.accepted.has(messageId)) received.repeats++;
      received.accepted.add(messageId);
      response.end('ok');
    });
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/hook`, received, close: () => close(server) };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
