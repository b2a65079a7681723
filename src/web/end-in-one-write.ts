import type { ServerResponse } from 'node:http';

/**
 * Ends a response whose headers are written (`writeHead`) with its body, in one write of the socket. It
 * must have a `Content-Length`, and an empty body where HTTP allows none, as in responses to HEAD.
 *
 * `response.end(body)` gives the socket two pieces, headers with body and an empty one, whose vectored
 * write takes twice as long as that of one. So the body is put where Node keeps headers until they are
 * sent; a version of Node without that place gets the usual call.
 */
export function endInOneWrite(
  response: ServerResponse & { _header?: unknown; _headerSent?: unknown },
  body: Buffer,
): void {
  const areHeadersKept = typeof response._header === 'string' && response._headerSent === false;
  if (body.length === 0 || !areHeadersKept) {
    response.end(body);
    return;
  }
  // Node writes headers as Latin-1: each character is one byte.
  response._header = `${String(response._header)}${body.toString('latin1')}`;
  response.end();
}
