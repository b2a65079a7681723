import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { endWith } from '../../web/last-response.js';
import { Refusal } from './refusal.js';

/** Handles CONNECT, and requests with an unknown Expect header: Node passes neither to handlers, and would refuse both without a body. */
export function answerConnectAndExpect(
  server: Server,
  onRefused: (refusal: Refusal) => void,
): void {
  // An unknown Expect header is ignored, so that no events are lost.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    onRefused(connectRefusal);
    endWith(socket, connectResponse);
  });
}

const connectRefusal = new Refusal(405, 'method_not_allowed', 'this is not a proxy');

const connectResponse = `HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, POST, OPTIONS\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${connectRefusal.body.length}\r\n\r\n${connectRefusal.body}`;
