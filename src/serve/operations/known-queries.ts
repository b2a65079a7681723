import type { FastifyInstance, FastifyRequest } from 'fastify';
import { suggestion } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import { Refusal } from '../collect/refusal.js';

/**
 * Refuses names of a query that its route does not know, by the `querystring` of its schema: a mistyped one would be
 * ignored, and something else be done than was asked for. A route that only reads, and knows none, takes any.
 */
export function refuseUnknownQueries(app: FastifyInstance): void {
  // Before the validation, which removes them.
  app.addHook('preValidation', (request, _reply, next) => {
    next(problemOf(request));
  });
}

function problemOf({ query, method, routeOptions, is404 }: FastifyRequest): Refusal | undefined {
  const schema = routeOptions.schema?.querystring as Querystring | undefined;
  if (is404 || (!schema && (method === 'GET' || method === 'HEAD'))) return undefined;
  const known = Object.keys(schema?.properties ?? {});
  const unknown = Object.keys(query as object).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const advice =
    known.length === 0 ? 'this path has none; leave it out' : suggestion(unknown, known);
  const message = `unknown name in the query: ${quoted(unknown, 'it is not shown')}; ${advice}`;
  return new Refusal(400, 'unknown_query', message);
}

interface Querystring {
  readonly properties?: Readonly<Record<string, unknown>>;
}
