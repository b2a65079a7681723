import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { checkUrl } from '../http/url.js';
import type { FaultPlan, PageSetup, ReplayRequest } from '../api/listen.js';
import { apiPrefix } from '../api/listen.js';
import { version } from '../version.js';
import { addApiErrors, apiError } from '../web/api-errors.js';
import { builtPage, readPage } from '../web/page-files.js';
import { addPage, secureHeaders } from '../web/page-routes.js';
import { captureLine } from './capture.js';
import { detailOf } from './detail.js';
import type { Faults } from './fault-plan.js';
import { Guard } from './guard.js';
import type { Journal } from './journal.js';
import { maxKept } from './limits.js';
import type { Handler } from './receiver.js';
import { replay } from './replay.js';
import { Stream } from './stream.js';

export interface InspectorOptions {
  readonly host: string;
  /** The URL of this receiver, without a path; known once the port is. */
  readonly url: () => string;
  readonly port: () => number;
  readonly token: string;
  readonly secret: string | Buffer | undefined;
  readonly journal: Journal;
  readonly faults: Faults;
  /** The file of `--record`, for people. */
  readonly recordsTo: string | null;
  /** The folder with the built page. Default: next to the program. */
  readonly pageFolder?: string;
}

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
  addReading(app, options);
  addChanging(app, options, new Stream(options.journal));
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

function addReading(app: FastifyInstance, options: InspectorOptions): void {
  const { journal, faults, secret } = options;
  app.get(`${apiPrefix}/requests`, (_request, reply) =>
    reply.type('application/json').send(Readable.from(captureArray(journal))),
  );
  app.get(`${apiPrefix}/requests.ndjson`, (_request, reply) =>
    reply
      .type('application/x-ndjson')
      .header('Content-Disposition', 'attachment; filename="requests.ndjson"')
      .send(Readable.from(captureLines(journal))),
  );
  app.get<{ Params: { id: string } }>(`${apiPrefix}/requests/:id`, (request, reply) => {
    const received = journal.kept.find(request.params.id);
    if (received) return reply.send(detailOf(received, { url: options.url(), secret }));
    const message = 'this request is no longer kept; the --record file has all requests';
    return reply.code(404).send(apiError({ code: 'not_kept', message }));
  });
  app.get(`${apiPrefix}/stats`, (_request, reply) => reply.send(journal.stats));
  app.get(`${apiPrefix}/faults`, (_request, reply) => reply.send(faults.plan));
  app.get(`${apiPrefix}/page`, (_request, reply) => reply.send(setupOf(options)));
}

function setupOf({ token, url, secret, recordsTo }: InspectorOptions): PageSetup {
  return { version, token, url: url(), hasSecret: secret !== undefined, maxKept, recordsTo };
}

function* captureArray(journal: Journal): Generator<string> {
  let separator = '{"requests":[';
  for (const received of journal.kept.all()) {
    yield separator + captureLine(received);
    separator = ',';
  }
  yield separator === ',' ? ']}' : `${separator}]}`;
}

function* captureLines(journal: Journal): Generator<string> {
  for (const received of journal.kept.all()) yield `${captureLine(received)}\n`;
}

function addChanging(app: FastifyInstance, options: InspectorOptions, stream: Stream): void {
  const { journal, faults, secret } = options;
  app.get(`${apiPrefix}/stream`, { exposeHeadRoute: false }, (_request, reply) => {
    reply.hijack();
    stream.add(reply.raw);
  });
  app.post(`${apiPrefix}/reset`, (_request, reply) => {
    journal.reset();
    return reply.send({});
  });
  app.put<{ Body: FaultPlan }>(
    `${apiPrefix}/faults`,
    { schema: { body: faultPlanSchema } },
    (request, reply) => {
      faults.replace(request.body);
      stream.publishFaults(faults.plan);
      return reply.send(faults.plan);
    },
  );
  app.post<{ Body: ReplayRequest }>(
    `${apiPrefix}/replay`,
    { schema: { body: replaySchema } },
    async (request, reply) => {
      checkUrl(request.body.url, 'url');
      const find = (id: string) => journal.kept.find(id);
      return replay(request.body, { find, secret, signal: endOf(reply) });
    },
  );
}

/** Aborted when the client has closed the connection. */
function endOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => controller.abort());
  return controller.signal;
}

const faultPlanSchema = {
  type: 'object',
  required: ['faults', 'seed'],
  properties: {
    faults: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 1000 } },
    seed: { type: 'integer', minimum: 0 },
  },
};

const replaySchema = {
  type: 'object',
  required: ['ids', 'url', 'signature'],
  properties: {
    ids: { type: 'array', maxItems: maxKept, items: { type: 'string', maxLength: 100 } },
    url: { type: 'string' },
    signature: { enum: ['again', 'captured'] },
  },
};
