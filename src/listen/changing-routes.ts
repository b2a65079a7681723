import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  apiPrefix,
  type FaultPlan,
  type ReplayRequest,
  type SharedRequests,
} from '../api/listen.js';
import { checkUrl } from '../http/url.js';
import { endOf } from './end-of-call.js';
import type { InspectorOptions } from './inspector-options.js';
import { maxBodyBytes, maxKept } from './limits.js';
import { replay } from './replay.js';
import { sharedPage } from './share/page.js';
import { Stream } from './stream.js';

/** What needs the token or changes something, and the stream that reports it. */
export function addChangingRoutes(app: FastifyInstance, options: InspectorOptions): void {
  const { journal, faults, verification } = options;
  const stream = new Stream(journal);
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
    { schema: { body: replaySchema }, bodyLimit: maxReplayBytes },
    async (request, reply) => {
      checkUrl(request.body.url, 'url');
      const find = (id: string) => journal.kept.find(id);
      return replay(request.body, { find, verification, signal: endOf(reply) });
    },
  );
  app.post<{ Body: SharedRequests }>(
    `${apiPrefix}/requests.html`,
    { schema: { body: sharedSchema } },
    (request, reply) => {
      const chosen = [...new Set(request.body.ids)].flatMap((id) => journal.kept.find(id) ?? []);
      return reply
        .type('text/html; charset=utf-8')
        .header('Content-Disposition', 'attachment; filename="requests.html"')
        .send(Readable.from(sharedPage(chosen, { url: options.url(), verification })));
    },
  );
}

const faultPlanSchema = {
  type: 'object',
  required: ['faults', 'seed'],
  properties: {
    faults: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 1000 } },
    seed: { type: 'integer', minimum: 0 },
  },
};

/** Room for an edited body in JSON, where a character may take six. */
const maxReplayBytes = 8 * maxBodyBytes;

const editedSchema = {
  type: 'object',
  required: ['headers'],
  properties: {
    headers: {
      type: 'array',
      maxItems: 1000,
      items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
    },
    body: { type: 'string' },
    bodyBase64: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
  },
};

const idsSchema = {
  type: 'array',
  maxItems: maxKept,
  items: { type: 'string', maxLength: 100 },
};

const sharedSchema = {
  type: 'object',
  required: ['ids'],
  properties: { ids: idsSchema },
};

const replaySchema = {
  type: 'object',
  required: ['ids', 'url', 'signature'],
  properties: {
    ids: idsSchema,
    url: { type: 'string' },
    signature: { enum: ['again', 'captured'] },
    edited: editedSchema,
  },
};
