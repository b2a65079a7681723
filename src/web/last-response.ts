import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a refused client may keep sending before the connection is closed. */
const lingerMs = 1_000;
/** How long the responses to its earlier requests may take, in milliseconds; then the connection is closed. */
const pendingMs = 30_000;

/**
 * Writes the last response of a connection and ends it, also if the client keeps its side open. It is
 * read for a while: unread bytes would reset the connection before the client has read the response.
 * Responses to earlier requests of the connection are written first. An empty `response` only ends it.
 */
export function endWith(socket: Duplex, response: string): void {
  if (socket.destroyed) return;
  socket.removeAllListeners('data').on('data', () => undefined);
  const pending = pendingResponse(socket);
  if (pending) {
    const cancel = closeAfter(socket, pendingMs);
    pending.once('close', () => {
      cancel();
      endWith(socket, response);
    });
  } else if (socket.writable) {
    socket.end(response);
    closeAfter(socket, lingerMs);
  }
}

/** The response that is to be written next to this connection, if its request was received completely. */
export function pendingResponse(socket: Duplex): ServerResponse | undefined {
  // An internal field of Node: the response that owns the socket. When it closes, the next pipelined one takes its
  // place.
  const { _httpMessage: next } = socket as { _httpMessage?: ServerResponse | null };
  return next?.req.complete ? next : undefined;
}

function closeAfter(socket: Duplex, ms: number): () => void {
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  const cancel = (): void => clearTimeout(timer);
  socket.once('close', cancel);
  return cancel;
}
