import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { DestinationChange, RedeliveryRequest } from '../../api/serve.js';
import { Refusal } from '../collect/refusal.js';
import type { Operations } from './operations.js';
import { replayRequestOf } from './replay-request.js';

interface Named {
  readonly Params: { readonly name: string };
}

/** Actions of operators. */
export function addChangeRoutes(app: FastifyInstance, operations: Operations): void {
  takeJsonOfAnyType(app);
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
  app.post<{ Querystring: { readonly preview?: string } }>(
    '/api/replays',
    { schema: { querystring: { type: 'object', properties: { preview: { type: 'string' } } } } },
    async ({ body, query }, reply) => {
      const isPreview = isPreviewAsked(query.preview);
      const request = replayRequestOf(body, operations.now);
      if (isPreview) return reply.send(await operations.previewReplay(request));
      return reply.code(202).send(await operations.createReplay(request));
    },
  );
  app.delete<{ Params: { readonly id: string } }>('/api/replays/:id', async ({ params }, reply) =>
    reply.send(await operations.stopReplay(params.id)),
  );
  void app.register(deletions, { operations });
}

/** @throws Refusal 400 `bad_request` for a value that may mean that nothing is to be counted, such as `false` */
function isPreviewAsked(preview: string | undefined): boolean {
  if (preview === undefined) return false;
  if (['', '1', 'true'].includes(preview)) return true;
  throw new Refusal(
    400,
    'bad_request',
    'preview must be empty, 1 or true; leave it out to begin the replay',
  );
}

/** As curl sends it with `-d`, or without a type; pages of other sites are refused by `denialOf`, whatever they send. */
function takeJsonOfAnyType(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, body, parsed) => {
    void parse(request, body, parsed);
  });
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

const enabledMessage = 'enabled must be true or false, and the only member';

const changeSchema = z.strictObject(
  { enabled: z.boolean(enabledMessage) },
  { error: enabledMessage },
);

const redeliveryMessage =
  'pass either ids, an array of 1 to 500 ids of dead letters, or destination, a name; and nothing else';

const id = z.string(redeliveryMessage).regex(/^[\da-f]{24}$/, redeliveryMessage);

const byIds = z.strictObject(
  { ids: z.array(id, redeliveryMessage).min(1, redeliveryMessage).max(500, redeliveryMessage) },
  { error: redeliveryMessage },
);

const byDestination = z.strictObject(
  { destination: z.string(redeliveryMessage) },
  { error: redeliveryMessage },
);

/**
 * @throws Refusal 400 `bad_request` unless the body is `{ enabled: boolean }` with no other member; values
 * are not coerced
 */
function destinationChange(body: unknown): DestinationChange {
  return read(changeSchema, body);
}

/** @throws Refusal as `destinationChange` does */
function redeliveryRequest(body: unknown): RedeliveryRequest {
  const isByIds = typeof body === 'object' && body !== null && 'ids' in body;
  return isByIds ? read(byIds, body) : read(byDestination, body);
}

function read<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new Refusal(400, 'bad_request', result.error.issues[0]!.message);
}
