import type { FastifyInstance } from 'fastify';
import type { Operations } from './operations.js';

/** Routes for supervisors, load balancers and Prometheus. */
export function addMachineRoutes(app: FastifyInstance, operations: Operations): void {
  app.get('/health', (_request, reply) => {
    const isHealthy = operations.store.failure === undefined;
    const status = isHealthy ? 'ok' : 'the events cannot be stored';
    const { blocks, events } = operations.store.setAside;
    const damaged = blocks > 0 ? { damagedBlocks: blocks, damagedEvents: events } : {};
    return reply.code(isHealthy ? 200 : 503).send({ status, ...damaged });
  });
  app.get('/ready', (_request, reply) => {
    const { isReady } = operations;
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready' });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(operations.metrics.contentType).send(await operations.metrics.text()),
  );
}
