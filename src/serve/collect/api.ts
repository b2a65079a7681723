import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathWithoutQuery } from '../../receive/rules/path-pattern.js';
import { hasSeveralHosts } from '../../web/host-headers.js';
import { checkHost } from './check-host.js';
import { Collector, type CollectorOptions } from './collector.js';
import { preflightHeaders } from './cross-origin.js';
import { Refusal, refusalOf } from './refusal.js';
import { refusalReply, replyOf, writeReply, type Reply } from './reply.js';
import type { Found, Route } from './router.js';
import { routesOf } from './routes.js';
import { urlOf } from './target.js';

/** A listener of a server of `node:http`. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface CollectionApiOptions extends CollectorOptions {
  /** Called for every refused request, for logs and metrics; `cause` is what was thrown. */
  readonly onRefused: (refusal: Refusal) => void;
  /** Handles the requests below `/_evfwd`; their URLs are normalized by `targetOf`. */
  readonly operations: RequestHandler;
  /** A path that is served, and that an unknown one was likely meant to be. */
  readonly nearPath?: (url: string) => string | undefined;
  /** Whether a connection is closed after its next response. */
  readonly isStopping: () => boolean;
}

/**
 * The collection API: the paths, formats and responses that common analytics clients expect. Pages
 * of any site may read every response, and every error is JSON that the clients understand.
 *
 * Plain `node:http`, because a framework costs as much as all the rest of an event.
 */
export function collectionApi(options: CollectionApiOptions): RequestHandler {
  const { onRefused, operations, isStopping, clock, nearPath } = options;
  const routes = routesOf({ collector: new Collector(options), onRefused, clock });

  const refused = (error: unknown): Reply => {
    const refusal = refusalOf(error);
    onRefused(refusal);
    return refusalReply(refusal);
  };
  const respond = async (
    request: IncomingMessage,
    response: ServerResponse,
    found: Found | undefined,
  ): Promise<void> => {
    let reply: Reply;
    try {
      reply = await replyTo(request, found, nearPath);
    } catch (error) {
      reply = refused(error);
    }
    if (isStopping()) response.shouldKeepAlive = false;
    writeReply(request, response, reply);
  };

  return (request, response) => {
    const found = routes.find(request.url!);
    if (found && isOfOperations(found) && !hasSeveralHosts(request)) {
      request.url = urlOf(found);
      operations(request, response);
    }
    // A defect costs one connection, not the process.
    else respond(request, response, found).catch(() => response.destroy());
  };
}

function isOfOperations({ route, path }: Found): boolean {
  return route === undefined && /^\/_evfwd(?:\/|$)/.test(path);
}

/** @throws Refusal */
function replyTo(
  request: IncomingMessage,
  found: Found | undefined,
  nearPath: CollectionApiOptions['nearPath'],
): Reply | Promise<Reply> {
  if (!found) throw badUrl;
  checkHost(request);
  const { route } = found;
  if (!route) throw nothingAt(request.url!, nearPath?.(request.url!));
  if (accepts(route, request.method!)) return route.handle(request, found);
  if (request.method === 'OPTIONS') return replyOf(204, preflightHeaders(request.headers));
  const headers = { Allow: `${route.method}, OPTIONS` };
  const message = `this path accepts only ${route.method}`;
  throw new Refusal(405, 'method_not_allowed', message, { headers });
}

function accepts({ method, acceptsHead }: Route, asked: string): boolean {
  return asked === method || (asked === 'HEAD' && acceptsHead === true);
}

const badUrl = new Refusal(400, 'bad_url', 'the path is not valid');
const nothingThere = new Refusal(404, 'not_found', 'there is nothing at this path');

/** @param near what is there, for the log */
function nothingAt(url: string, near: string | undefined): Refusal {
  if (near === undefined) return nothingThere;
  const note = { fields: { path: pathWithoutQuery(url) }, nextStep: `did you mean ${near}?` };
  return new Refusal(404, nothingThere.code, nothingThere.message, { note });
}
