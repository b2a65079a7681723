import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from './refusal.js';

/** Takes up requests that Node keeps from its handlers, and would refuse without a word. */
export function takeOddRequests(server: Server): void {
  // Whatever else than to go on a client expects, its events are welcome.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    socket.end(noTunnel);
  });
}

/** HTTP/1.1 is no HTTP/1.1 without it. */
export const noHost = new Refusal(400, 'bad_request', 'the Host header is missing');

const { body } = new Refusal(405, 'method_not_allowed', 'this is no proxy');

const noTunnel = `HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, POST, OPTIONS\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
