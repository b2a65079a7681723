import type { FastifyInstance } from 'fastify';
import type { DestinationChange, RedeliveryRequest } from '../../inspector/service-api.js';
import type { Operations } from './operations.js';

interface Named {
  readonly Params: { readonly name: string };
}

/** What an operator can do. */
export function addChanging(app: FastifyInstance, operations: Operations): void {
  app.put<Named & { Body: DestinationChange }>(
    '/api/destinations/:name',
    { schema: { body: changeSchema } },
    async ({ params, body }, reply) =>
      reply.send(await operations.switchDestination(params.name, body.enabled)),
  );
  app.post<Named>('/api/destinations/:name/test', async ({ params }, reply) =>
    reply.send(await operations.test(params.name)),
  );
  app.post<{ Body: RedeliveryRequest }>(
    '/api/redeliveries',
    { schema: { body: redeliverySchema } },
    async ({ body }, reply) => reply.send(await operations.redeliver(body)),
  );
  void app.register(deletions, { operations });
}

/** The body is read as the collection API reads it, so that a number as an id stays as it is. */
function deletions(
  app: FastifyInstance,
  { operations }: { readonly operations: Operations },
  done: () => void,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) =>
    parsed(null, body),
  );
  app.post<{ Body: Buffer | undefined }>('/api/deletions', async ({ body }, reply) =>
    reply.send(await operations.forget(body ?? Buffer.alloc(0))),
  );
  done();
}

const changeSchema = {
  type: 'object',
  required: ['enabled'],
  properties: { enabled: { type: 'boolean' } },
};

const redeliverySchema = {
  type: 'object',
  oneOf: [
    {
      required: ['ids'],
      properties: {
        ids: {
          type: 'array',
          minItems: 1,
          maxItems: 500,
          items: { type: 'string', pattern: '^\\d{1,15}$' },
        },
      },
    },
    { required: ['destination'], properties: { destination: { type: 'string' } } },
  ],
};
