import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import type { DeadLettersQuery, ServiceError, SearchQuery, SeriesQuery } from '../../api/serve.js';
import { apiError } from '../../web/api-errors.js';
import { deadLetterLines } from './dead-letter-lines.js';
import type { ListRequest } from './lists.js';
import type { Operations } from './operations.js';

/** Routes of the data that the page shows. */
export function addReadRoutes(app: FastifyInstance, operations: Operations): void {
  const { lists } = operations;
  app.get('/api/overview', (_request, reply) => reply.send(operations.overview));
  app.get('/api/instances', (_request, reply) => reply.send({ instances: operations.instances }));
  app.get('/api/replays', async (_request, reply) =>
    reply.send({ replays: await operations.replays() }),
  );
  app.get<Listing>('/api/deliveries', listing, ({ query }, reply) =>
    reply.send(lists.deliveries(operations.known(query))),
  );
  app.get<ById>('/api/events/:id', byId, async ({ params }, reply) => {
    const event = await lists.event(params.id);
    if (event) return reply.send(event);
    const message =
      'this event is no dead letter, and not among the newest; /_evfwd/api/search may know what became of it';
    return reply.code(404).send(notKept(message));
  });
  app.get<{ Querystring: SeriesQuery }>(
    '/api/series',
    { schema: { querystring: seriesSchema } },
    ({ query }, reply) => reply.send(operations.timeline.read(operations.known(query))),
  );
  app.get<{ Params: { name: string } }>('/api/failures/:name', ({ params }, reply) => {
    const failure = operations.lastFailure(params.name);
    if (failure) return reply.send(failure);
    return reply.code(404).send(notKept('no attempt has failed since the service was started'));
  });
  app.get<{ Params: { name: string } }>(
    '/api/destinations/:name/users',
    async ({ params }, reply) => reply.send(await operations.userQueues(params.name)),
  );
  app.get<Listing>('/api/waiting', listing, async ({ query }, reply) =>
    reply.send(await lists.waiting(operations.known(query), operations.destinationNames)),
  );
  app.get<Listing>('/api/dead-letters', listing, async ({ query }, reply) =>
    reply.send(await lists.deadLetters(operations.known(query))),
  );
  app.get<{ Querystring: DeadLettersQuery }>(
    '/api/dead-letters.ndjson',
    { schema: { querystring: deadLettersSchema } },
    ({ query }, reply) =>
      reply
        .header('Content-Type', 'application/x-ndjson')
        .send(Readable.from(deadLetterLines(operations.store, operations.known(query)))),
  );
  app.get<Listing>('/api/rejected', listing, async ({ query }, reply) =>
    reply.send(await lists.rejected(operations.known(query))),
  );
  app.get<Listing>('/api/deletions', listing, async ({ query }, reply) =>
    reply.send(await lists.deletions(operations.known(query))),
  );
  app.get<{ Querystring: SearchQuery }>(
    '/api/search',
    { schema: { querystring: searchSchema } },
    async ({ query, socket }, reply) => {
      // Where nothing is written, that a client has gone is only seen as the end of its side.
      const isAborted = (): boolean => socket.readableEnded || reply.raw.destroyed;
      return reply.send(await operations.searcher.search(operations.known(query), isAborted));
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

function notKept(message: string): ServiceError {
  return apiError({ code: 'not_kept', message });
}

interface ById {
  readonly Params: { readonly id: string };
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

const deadLettersSchema = {
  type: 'object',
  properties: { source: text, destination: text },
};

const seriesSchema = {
  type: 'object',
  properties: {
    span: { type: 'string', enum: ['15m', '1h', '24h'] },
    destination: text,
    from: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
};

const byId = {
  schema: {
    params: {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^[\\da-f]{24}$' } },
    },
  },
};
