import Fastify, { type FastifyInstance } from 'fastify';
import type { ServiceSetup } from '../../api/serve.js';
import { StateError } from '../../errors.js';
import { StoreUnavailable } from '../../store/postgres/unavailable.js';
import { version } from '../../version.js';
import { addApiErrors, apiError } from '../../web/api-errors.js';
import { addPage, secureHeaders } from '../../web/page-routes.js';
import type { PageFile } from '../../web/page-files.js';
import { Refusal } from '../collect/refusal.js';
import { maxHeaderBytes } from '../collect/limits.js';
import { denialOf, type AdminGuardOptions } from './admin-guard.js';
import { addChangeRoutes } from './change-routes.js';
import { refuseUnknownQueries } from './known-queries.js';
import type { Operations } from './operations.js';
import { addReadRoutes } from './read-routes.js';

export interface OperationsApiOptions {
  readonly operations: Operations;
  readonly guard: AdminGuardOptions;
  /** Undefined when the page is not built. */
  readonly page: ReadonlyMap<string, PageFile> | undefined;
}

/** Everything below `/_evfwd`. The URLs of requests must be in the form of `targetOf`. */
export function operationsApp(options: OperationsApiOptions): FastifyInstance {
  const app = Fastify({
    routerOptions: {
      // The names of destinations may be long.
      maxParamLength: maxHeaderBytes,
    },
    // Requests on open connections are still accepted while the service stops, then these are closed.
    return503OnClosing: false,
  });
  void app.register(operationsApi, { ...options, prefix: '/_evfwd' });
  return app;
}

/** A Fastify plugin that is registered with its prefix. */
function operationsApi(
  app: FastifyInstance,
  { operations, guard, page }: OperationsApiOptions,
  done: () => void,
): void {
  app.addHook('onRequest', (request, reply, next) => {
    for (const [name, value] of secureHeaders) void reply.header(name, value);
    const denial = denialOf(request.raw, request.routeOptions.url, guard);
    if (!denial) {
      next();
      return;
    }
    if (denial.status === 401) void reply.header('WWW-Authenticate', 'Bearer');
    void reply.code(denial.status).send(apiError(denial));
  });
  addApiErrors(app, statusOf);
  refuseUnknownQueries(app);
  addPage(app, '', 'operations', page);
  const setup: ServiceSetup = { service: 'serve', version, needsToken: guard.token !== undefined };
  app.get('/api/page', (_request, reply) => reply.send(setup));
  addMachineRoutes(app, operations);
  addReadRoutes(app, operations);
  addChangeRoutes(app, operations);
  done();
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof Refusal) return error.status;
  return error instanceof StateError || error instanceof StoreUnavailable ? 503 : undefined;
}

/** Routes for supervisors, load balancers and Prometheus. */
function addMachineRoutes(app: FastifyInstance, operations: Operations): void {
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
