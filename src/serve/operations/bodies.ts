import { z } from 'zod';
import type { DestinationChange, RedeliveryRequest } from '../../api/serve.js';
import { Refusal } from '../collect/refusal.js';

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
export function destinationChange(body: unknown): DestinationChange {
  return read(changeSchema, body);
}

/** @throws Refusal as `destinationChange` does */
export function redeliveryRequest(body: unknown): RedeliveryRequest {
  const isByIds = typeof body === 'object' && body !== null && 'ids' in body;
  return isByIds ? read(byIds, body) : read(byDestination, body);
}

function read<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new Refusal(400, 'bad_request', result.error.issues[0]!.message);
}
