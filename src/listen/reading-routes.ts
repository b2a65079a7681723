import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { apiPrefix, type PageSetup } from '../api/listen.js';
import { version } from '../version.js';
import { apiError } from '../web/api-errors.js';
import { captureLine } from './capture.js';
import { detailOf } from './detail.js';
import { endOf } from './end-of-call.js';
import type { InspectorOptions } from './inspector-options.js';
import type { Journal } from './journal.js';
import { maxKept } from './limits.js';
import { Searches } from './search.js';

/** What the page and scripts read, except the stream. */
export function addReadingRoutes(app: FastifyInstance, options: InspectorOptions): void {
  const { journal, faults, verification } = options;
  const searches = new Searches(journal.kept);
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
    if (received) return reply.send(detailOf(received, { url: options.url(), verification }));
    return reply.code(404).send(apiError(notKept));
  });
  app.get<{ Params: { id: string } }>(`${apiPrefix}/requests/:id/body`, (request, reply) => {
    const received = journal.kept.find(request.params.id);
    if (!received) return reply.code(404).send(apiError(notKept));
    // Never its own Content-Type: a browser must not show it as a page of ours.
    return reply
      .type('application/octet-stream')
      .header('Content-Disposition', `attachment; filename="request-${received.sequence}.bin"`)
      .send(received.body);
  });
  app.get<{ Querystring: { q: string; after: string } }>(
    `${apiPrefix}/search`,
    { schema: { querystring: searchSchema } },
    async ({ query }, reply) => searches.find(query.q, Number(query.after), endOf(reply)),
  );
  app.get(`${apiPrefix}/stats`, (_request, reply) => reply.send(journal.stats));
  app.get(`${apiPrefix}/faults`, (_request, reply) => reply.send(faults.plan));
  app.get(`${apiPrefix}/page`, (_request, reply) => reply.send(setupOf(options)));
}

function setupOf({ token, url, verification, recordsTo }: InspectorOptions): PageSetup {
  const { hasSecret } = verification;
  return { version, token, url: url(), hasSecret, maxKept, recordsTo };
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

const notKept = {
  code: 'not_kept',
  message: 'this request is no longer kept; the --record file has all requests',
};

const searchSchema = {
  type: 'object',
  required: ['q'],
  properties: {
    q: { type: 'string', minLength: 1, maxLength: 1000 },
    after: { type: 'string', pattern: String.raw`^\d{1,15}$`, default: '0' },
  },
};
