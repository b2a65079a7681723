import type { Server } from 'node:http';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import { refuseMalformed } from '../../web/refuse-malformed.js';
import { crossOriginHeaders } from './cross-origin.js';
import { json, nothingThere } from './edge.js';
import { Refusal } from './refusal.js';

/**
 * How the HTTP server below the collection API is set: patient with clients that keep their
 * connections, not with those that keep it waiting.
 *
 * @param onNote Told in a line of what was no request.
 */
export function serverOptions(
  onNote: (text: string) => void = () => undefined,
): FastifyHttpOptions<Server> {
  return {
    // Above the pauses of all clients: else they post into connections that are being closed.
    keepAliveTimeout: 120_000,
    // What still comes over open connections when the service stops is taken; they are closed then.
    return503OnClosing: false,
    // A body that takes longer is given up by every client, too.
    requestTimeout: 30_000,
    http: {
      headersTimeout: 20_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize,
      // Node would refuse without a body what the API refuses with one.
      requireHostHeader: false,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // Write keys and names of destinations stand in paths, and may be long.
      maxParamLength: maxHeaderSize,
    },
    clientErrorHandler: refuseMalformed(onNote),
    // What the router refuses before any route or hook is known.
    frameworkErrors: ({ code }, request, reply: FastifyReply) => {
      const { status, body } = code === 'FST_ERR_BAD_URL' ? badUrl : nothingThere;
      void reply.code(status).headers(crossOriginHeaders(request.headers));
      void json(reply).send(body);
    },
  };
}

/** Of the request line and all headers, in bytes. */
const maxHeaderSize = 16_384;

const badUrl = new Refusal(400, 'bad_url', 'the path is not a valid one');
