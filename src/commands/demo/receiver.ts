import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verify } from '../../sign/x-signature.js';

/** What the receiver of the demo has seen. */
export interface Received {
  requests: number;
  validSignatures: number;
  refusedOnPurpose: number;
  /** messageIds of the events it has taken. */
  readonly taken: Set<string>;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received;
  close(): Promise<void>;
}

/**
 * A webhook endpoint as its owner might write it: checks the signature of each body, and answers
 * 503 to the first try of every tenth event, as an endpoint does on a bad day.
 */
export async function startReceiver(secret: string): Promise<Receiver> {
  const received: Received = {
    requests: 0,
    validSignatures: 0,
    refusedOnPurpose: 0,
    taken: new Set(),
  };
  const refused = new Set<string>();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { messageId } = JSON.parse(body.toString('utf8')) as { messageId: string };
      const isFirstAttempt = !refused.has(messageId);
      received.requests++;
      if (verify(body, String(request.headers['x-signature']), secret)) received.validSignatures++;
      if (isFirstAttempt && received.requests % 10 === 0) {
        refused.add(messageId);
        received.refusedOnPurpose++;
        response.writeHead(503).end();
        return;
      }
      received.taken.add(messageId);
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
