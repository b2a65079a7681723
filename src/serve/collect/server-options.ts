import type { Server } from 'node:http';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import { refuseMalformed } from '../../web/refuse-malformed.js';
import { crossOriginHeaders } from './cross-origin.js';
import { json, nothingThere } from './edge.js';
import { Refusal } from './refusal.js';

/**
 * Options of the HTTP server below the collection API: long keep-alive, short timeouts for slow
 * requests.
 *
 * @param onNote Called with one line for each malformed request.
 */
export function serverOptions(
  onNote: (text: string) => void = () => undefined,
): FastifyHttpOptions<Server> {
  return {
    // Longer than any client's idle time: else clients post into connections that are being closed.
    keepAliveTimeout: 120_000,
    // Requests on open connections are still accepted while the service stops, then these are closed.
    return503OnClosing: false,
    // Clients give up such slow uploads, too.
    requestTimeout: 30_000,
    http: {
      headersTimeout: 20_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize,
      // Node would refuse these without a response body; the API sends one.
      requireHostHeader: false,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // Paths contain write keys and destination names, which may be long.
      maxParamLength: maxHeaderSize,
    },
    clientErrorHandler: refuseMalformed(onNote),
    // Errors of the router before any route or hook runs.
    frameworkErrors: ({ code }, request, reply: FastifyReply) => {
      const { status, body } = code === 'FST_ERR_BAD_URL' ? badUrl : nothingThere;
      void reply.code(status).headers(crossOriginHeaders(request.headers));
      void json(reply).send(body);
    },
  };
}

/** Of the request line and all headers, in bytes. */
const maxHeaderSize = 16_384;

const badUrl = new Refusal(400, 'bad_url', 'the path is not valid');
