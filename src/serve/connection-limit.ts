import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { maxOpenFiles } from '../net/open-files.js';
import { endWith } from '../web/last-response.js';

const maxConnections = 10_000;
/** Refused clients that may still read their response; further ones are cut. */
const maxRefused = 100;

/** Refuses connections of clients beyond a number, with a 503, whatever server they come to. */
export class ConnectionLimit {
  readonly #max: number;
  readonly #onRefused: () => void;
  #open = 0;
  #refused = 0;

  /** `onRefused` is called for each. */
  constructor(max: number, onRefused: () => void) {
    this.#max = max;
    this.#onRefused = onRefused;
  }

  /** To be called before the server listens. */
  applyTo(server: Server): void {
    // A refused connection must not get a parser, which would answer its request as well.
    const accept = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.#open >= this.#max) {
        this.#refuse(socket);
        return;
      }
      this.#open++;
      socket.once('close', () => this.#open--);
      for (const listener of accept) listener.call(server, socket);
    });
  }

  #refuse(socket: Socket): void {
    this.#onRefused();
    socket.on('error', () => socket.destroy());
    if (this.#refused >= maxRefused) {
      socket.destroy();
      return;
    }
    this.#refused++;
    socket.once('close', () => this.#refused--);
    endWith(socket, response);
  }
}

const message = 'too many connections; try again later';
const body = JSON.stringify({
  success: false,
  code: 'too_many_connections',
  message,
  error: message,
});
const response = `HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** 10,000, or half of the files that the process may open: deliveries and the state need some, too. */
export function defaultMaxConnections(files = maxOpenFiles()): number {
  return Math.max(1, Math.min(maxConnections, Math.floor(files / 2)));
}
