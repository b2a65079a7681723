import type { FastifyInstance } from 'fastify';
import { destinationChange, redeliveryRequest } from './bodies.js';
import type { Operations } from './operations.js';

interface Named {
  readonly Params: { readonly name: string };
}

/** Actions of operators. */
export function addChangeRoutes(app: FastifyInstance, operations: Operations): void {
  app.put<Named>('/api/destinations/:name', async ({ params, body }, reply) => {
    const { enabled } = destinationChange(body);
    return reply.send(await operations.switchDestination(params.name, enabled));
  });
  app.post<Named>('/api/destinations/:name/test', async ({ params }, reply) =>
    reply.send(await operations.test(params.name)),
  );
  app.post('/api/redeliveries', async ({ body }, reply) =>
    reply.send(await operations.redeliver(redeliveryRequest(body))),
  );
  void app.register(deletions, { operations });
}

/** The body is read as in the collection API, so that a numeric id keeps all its digits. */
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
    reply.send(await operations.deleteUser(body ?? Buffer.alloc(0))),
  );
  done();
}
