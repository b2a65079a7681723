import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { crossOriginHeaders, preflightHeaders } from './cross-origin.js';
import { noHost, handleOddRequests } from './odd-requests.js';
import { methodFor } from './paths.js';
import { Refusal, refusalOf } from './refusal.js';

/**
 * Applies to every request: any Content-Type is accepted, pages of other sites may read every
 * response, and every error is JSON that the clients understand.
 */
export function addEdge(app: FastifyInstance, onRefused: (refusal: Refusal) => void): void {
  const refuse = (error: unknown, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    onRefused(refusal);
    return json(reply.code(refusal.status).headers(refusal.headers)).send(refusal.body);
  };
  handleOddRequests(app.server);
  leaveBodies(app);
  app.setErrorHandler((error, _request, reply) => refuse(error, reply));
  app.addHook('onRequest', (request, reply, next) => {
    void reply.headers(crossOriginHeaders(request.headers));
    if (lacksHost(request)) void refuse(noHost, reply);
    else if (!request.is404) next();
    else if (isPreflight(request)) {
      void reply.code(204).headers(preflightHeaders(request.headers)).send();
    } else void refuse(notFound(request), reply);
  });
  // The hook responds before the body is read.
  app.setNotFoundHandler((request, reply) => refuse(notFound(request), reply));
}

export function json(reply: FastifyReply): FastifyReply {
  return reply.header('Content-Type', 'application/json; charset=utf-8');
}

/**
 * Leaves bodies to the handlers. The Content-Type of clients is often wrong, and Fastify would
 * refuse a malformed one.
 */
function leaveBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, next) => {
    delete request.raw.headers['content-type'];
    next();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

function lacksHost({ headers, raw }: FastifyRequest): boolean {
  return headers.host === undefined && raw.httpVersion === '1.1';
}

function isPreflight({ method, url }: FastifyRequest): boolean {
  return method === 'OPTIONS' && methodFor(url) !== undefined;
}

export const nothingThere = new Refusal(404, 'not_found', 'there is nothing at this path');

function notFound({ url }: FastifyRequest): Refusal {
  const method = methodFor(url);
  if (method === undefined) return nothingThere;
  const headers = { Allow: `${method}, OPTIONS` };
  return new Refusal(405, 'method_not_allowed', `this path accepts only ${method}`, { headers });
}
