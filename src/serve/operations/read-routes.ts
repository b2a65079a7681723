import type { FastifyInstance } from 'fastify';
import type { SearchQuery } from '../../api/serve.js';
import { apiError } from '../../web/api-errors.js';
import type { ListRequest } from './lists.js';
import type { Operations } from './operations.js';

/** Routes of the data that the page shows. */
export function addReadRoutes(app: FastifyInstance, operations: Operations): void {
  const { lists } = operations;
  app.get('/api/overview', (_request, reply) => reply.send(operations.overview));
  app.get<Listing>('/api/deliveries', listing, ({ query }, reply) =>
    reply.send(lists.deliveries(query)),
  );
  app.get<Listing>('/api/waiting', listing, ({ query }, reply) =>
    reply.send(lists.waiting(query, operations.destinationNames)),
  );
  app.get<Listing>('/api/dead-letters', listing, ({ query }, reply) =>
    reply.send(lists.deadLetters(query)),
  );
  app.get<Listing>('/api/rejected', listing, ({ query }, reply) =>
    reply.send(lists.rejected(query)),
  );
  app.get<Listing>('/api/deletions', listing, ({ query }, reply) =>
    reply.send(lists.deletions(query)),
  );
  app.get<{ Querystring: SearchQuery }>(
    '/api/search',
    { schema: { querystring: searchSchema } },
    async ({ query }, reply) =>
      reply.send(await operations.searcher.search(query, () => reply.raw.destroyed)),
  );
  app.get<{ Params: { id: number } }>(
    '/api/dead-letters/:id',
    { schema: { params: idSchema } },
    ({ params }, reply) => {
      const deadLetter = lists.deadLetter(params.id);
      if (deadLetter) return reply.send(deadLetter);
      const message =
        'this dead letter no longer exists; it was redelivered, or dropped for newer ones';
      return reply.code(404).send(apiError({ code: 'not_kept', message }));
    },
  );
  app.get('/api/stream', { exposeHeadRoute: false }, (_request, reply) => {
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      reply.raw.setHeader(name, value as string);
    }
    operations.stream.add(reply.raw);
  });
}

interface Listing {
  readonly Querystring: ListRequest;
}

const text = { type: 'string', maxLength: 1000 };

const listing = {
  schema: {
    querystring: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
        after: { type: 'string', pattern: '^\\d{1,15}$' },
        source: text,
        destination: text,
        search: text,
      },
    },
  },
};

const searchSchema = {
  type: 'object',
  required: ['search'],
  properties: { search: { ...text, minLength: 1 }, source: text, destination: text },
};

const idSchema = {
  type: 'object',
  properties: { id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER - 1 } },
};
