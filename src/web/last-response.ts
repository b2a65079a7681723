import type { Duplex } from 'node:stream';

/** How long a refused client may keep sending before the connection is closed. */
const lingerMs = 1_000;

/**
 * Writes the last response of a connection and ends it, also if the client keeps its side open. It is
 * read for a while: unread bytes would reset the connection before the client has read the response.
 */
export function endWith(socket: Duplex, response: string): void {
  socket.end(response);
  socket.removeAllListeners('data').on('data', () => undefined);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
