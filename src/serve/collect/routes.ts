import { parse } from 'node:querystring';
import type { Clock } from '../../clock.js';
import type { Collector } from './collector.js';
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
import { pixelBody, pixelReply } from './pixel.js';
import { receiverOf, type Receive } from './receive.js';
import { Refusal, refusalOf } from './refusal.js';
import { jsonReply, success } from './reply.js';
import { Router } from './router.js';
import { settingsFor, sourceConfigFor } from './settings.js';
import { keyOfHeaders, keyOfQuery } from './write-key.js';

export interface RoutesOptions {
  readonly collector: Collector;
  readonly clock: Clock;
  /** Called for a pixel, which is never refused visibly. */
  readonly onRefused: (refusal: Refusal) => void;
}

/** All paths of the collection API. */
export function routesOf(options: RoutesOptions): Router {
  const router = new Router();
  const receive = receiverOf(options.collector, options.clock);
  addCalls(router, options.collector, receive);
  addDeletion(router, options.collector, receive);
  addPixel(router, options);
  addSettings(router, options.collector);
  router.add(metricsPath, { method: 'POST', handle: () => success });
  const healthy = jsonReply(200, '{"status":"ok"}');
  router.add(healthPath, { method: 'GET', acceptsHead: true, handle: () => healthy });
  return router;
}

function addCalls(router: Router, collector: Collector, receive: Receive): void {
  const add = (path: string, type?: CallType): void =>
    router.add(path, {
      method: 'POST',
      handle: async (request, { query }) => {
        await collector.collect(await receive(request, query), type);
        return success;
      },
    });
  for (const path of batchPaths) add(path);
  for (const [path, type] of singlePaths) add(path, type);
}

function addDeletion(router: Router, collector: Collector, receive: Receive): void {
  router.add(deletePath, {
    method: 'POST',
    handle: async (request, { query }) => {
      await collector.collectDeletion(await receive(request, query));
      return success;
    },
  });
}

/** Always responds with the image, so that an email never shows a broken one. */
function addPixel(router: Router, { collector, clock, onRefused }: RoutesOptions): void {
  router.add(pixelPath, {
    method: 'GET',
    handle: async (_request, { parameter, query }) => {
      const type = callTypeOf(parameter);
      const incoming = {
        body: pixelBody(parse(query).data),
        source: undefined,
        queryKey: keyOfQuery(query),
        isStrict: false,
        receivedAt: clock.now(),
      };
      try {
        if (!type) throw new Refusal(404, 'not_found', 'unknown pixel type');
        await collector.collect(incoming, type);
      } catch (error) {
        onRefused(refusalOf(error));
      }
      return pixelReply;
    },
  });
}

function addSettings(router: Router, collector: Collector): void {
  router.add(settingsPath, {
    method: 'GET',
    acceptsHead: true,
    handle: ({ headers }, { parameter: key }) => {
      if (!collector.hasSource(key)) {
        throw new Refusal(404, 'invalid_write_key', 'no source has this key');
      }
      return jsonReply(200, JSON.stringify(settingsFor(key, headers)));
    },
  });
  router.add(sourceConfigPath, {
    method: 'GET',
    acceptsHead: true,
    handle: ({ headers }, { query }) => {
      const source = collector.sourceFor(keyOfHeaders(headers) ?? keyOfQuery(query));
      return jsonReply(200, JSON.stringify(sourceConfigFor(source)));
    },
  });
}
