import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { addApiErrors, apiError } from '../web/api-errors.js';
import { builtPage, readPage } from '../web/page-files.js';
import { addPage, secureHeaders } from '../web/page-routes.js';
import { Guard } from './guard.js';
import { addChangingRoutes } from './changing-routes.js';
import type { InspectorOptions } from './inspector-options.js';
import { addReadingRoutes } from './reading-routes.js';
import type { Handler } from './receiver.js';

/** Everything below `/_evfwd/`: the page, its API and its stream of events. */
export async function inspectorHandler(options: InspectorOptions): Promise<Handler> {
  const guard = new Guard(options);
  const app = Fastify({
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    frameworkErrors: ({ message }, _request, reply) => {
      void (reply as FastifyReply).code(400).send(apiError({ code: 'bad_request', message }));
    },
  });
  addApiErrors(app);
  addBodies(app);
  addReadingRoutes(app, options);
  addChangingRoutes(app, options);
  app.get('/_evfwd', (_request, reply) => reply.redirect('/_evfwd/'));
  addPage(app, '/_evfwd', 'inspector', readPage(options.pageFolder ?? builtPage));
  await app.ready();
  return (request, response) => {
    for (const [name, value] of secureHeaders) response.setHeader(name, value);
    const refusal = guard.refusal(request);
    if (!refusal) {
      app.routing(request, response);
      return;
    }
    request.resume();
    response.writeHead(403, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(apiError(refusal)));
  };
}

/** Scripts that reset may send no body, or any, whatever their headers say. */
function addBodies(app: FastifyInstance): void {
  const json = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, body, done) => {
      if (body === '') done(null, undefined);
      else void json(request, body, done);
    },
  );
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null, undefined));
  });
}
