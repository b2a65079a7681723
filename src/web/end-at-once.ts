import type { ServerResponse } from 'node:http';

/**
 * Ends a response whose headers are written (`writeHead`), with its body as Latin-1; not for responses
 * that have none, such as those to HEAD.
 *
 * `response.end(body)` gives the socket two pieces, headers with body and an empty one, whose vectored
 * write takes twice as long as that of one. So the body is put where Node keeps headers until they are
 * sent; a version of Node without that place gets the usual call.
 */
export function endAtOnce(response: ServerResponse & { _header?: unknown }, body: string): void {
  if (typeof response._header !== 'string') {
    response.end(body, 'latin1');
    return;
  }
  response._header += body;
  response.end();
}
