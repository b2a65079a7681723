import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Collector, type CollectorOptions } from './collector.js';
import { addEdge, json } from './edge.js';
import {
  batchPaths,
  callTypeOf,
  deletePath,
  healthPath,
  metricsPath,
  pixelPath,
  settingsPath,
  singlePaths,
  sourceConfigPath,
  type CallType,
} from './paths.js';
import { gif, pixelBody } from './pixel.js';
import { receiverOf, type Receive } from './receive.js';
import { Refusal, refusalOf } from './refusal.js';
import { settingsFor, sourceConfigFor } from './settings.js';
import { keyOfHeaders, keyOfQuery } from './write-key.js';

export interface CollectionApiOptions extends CollectorOptions {
  /** Called for every refused request, for logs and metrics; `cause` is what was thrown. */
  readonly onRefused?: (refusal: Refusal) => void;
}

/**
 * The collection API as a Fastify plugin: the paths, formats and responses that common analytics
 * clients expect. The server must use `serverOptions`; the plugin also handles its unknown paths.
 */
export function collectionApi(
  app: FastifyInstance,
  options: CollectionApiOptions,
  done: () => void,
): void {
  const collector = new Collector(options);
  const receive = receiverOf(collector, options.clock);
  addEdge(app, (refusal) => options.onRefused?.(refusal));
  addCalls(app, collector, receive);
  addDeletion(app, collector, receive);
  addPixel(app, collector, options);
  addSettings(app, collector, options);
  app.post(metricsPath, (_request, reply) => succeed(reply));
  app.get(healthPath, (_request, reply) => json(reply).send('{"status":"ok"}'));
  done();
}

function addCalls(app: FastifyInstance, collector: Collector, receive: Receive): void {
  const collect =
    (type?: CallType) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const incoming = await receive(request);
      await collector.collect(incoming, type);
      return succeed(reply);
    };
  for (const path of batchPaths) app.post(path, collect());
  for (const [path, type] of singlePaths) app.post(path, collect(type));
}

function addDeletion(app: FastifyInstance, collector: Collector, receive: Receive): void {
  app.post(deletePath, async (request, reply) => {
    await collector.collectDeletion(await receive(request));
    return succeed(reply);
  });
}

interface PixelRoute {
  readonly Params: { readonly type: string };
  readonly Querystring: { readonly data?: unknown; readonly writeKey?: unknown };
}

/** Always responds with the image, so that an email never shows a broken one. */
function addPixel(app: FastifyInstance, collector: Collector, options: CollectionApiOptions): void {
  app.get<PixelRoute>(pixelPath, { exposeHeadRoute: false }, async (request, reply) => {
    const type = callTypeOf(request.params.type);
    const incoming = {
      body: pixelBody(request.query.data),
      source: undefined,
      queryKey: keyOfQuery(request.query),
      isStrict: false,
      receivedAt: options.clock.now(),
    };
    try {
      if (!type) throw new Refusal(404, 'not_found', 'unknown pixel type');
      await collector.collect(incoming, type);
    } catch (error) {
      options.onRefused?.(refusalOf(error));
    }
    return reply.header('Cache-Control', 'no-store').type('image/gif').send(gif);
  });
}

function addSettings(
  app: FastifyInstance,
  collector: Collector,
  { findSource }: CollectionApiOptions,
): void {
  app.get<{ Params: { key: string } }>(settingsPath, async (request, reply) => {
    const { key } = request.params;
    if (!findSource(key)) throw new Refusal(404, 'invalid_write_key', 'no source has this key');
    return json(reply).send(JSON.stringify(settingsFor(key, request.headers)));
  });
  app.get(sourceConfigPath, async ({ headers, query }, reply) => {
    const source = collector.sourceFor(keyOfHeaders(headers) ?? keyOfQuery(query));
    return json(reply).send(JSON.stringify(sourceConfigFor(source)));
  });
}

/** Exactly 200 with an object: clients in several languages treat anything else as a failure. */
function succeed(reply: FastifyReply): FastifyReply {
  return json(reply).send('{"success":true}');
}
