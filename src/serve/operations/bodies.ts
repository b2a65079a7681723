import { z } from 'zod';
import type { DestinationChange, RedeliveryRequest } from '../../inspector/service-api.js';
import { Refusal } from '../collect/refusal.js';

const isOn = 'enabled must be true or false';

const change = z.strictObject({ enabled: z.boolean(isOn) }, { error: only('enabled', isOn) });

const asked =
  'ids (1 to 500, each a text of digits) or destination (a name) says what to send again';

const id = z.string(asked).regex(/^\d{1,15}$/, asked);

const byIds = z.strictObject(
  { ids: z.array(id, asked).min(1, asked).max(500, asked) },
  { error: only('ids', asked) },
);

const byDestination = z.strictObject(
  { destination: z.string(asked) },
  { error: only('destination', asked) },
);

/** @throws Refusal unless it is just that; nothing is taken for what it is not. */
export function destinationChange(body: unknown): DestinationChange {
  return read(change, body);
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

/** What is said of a body that is not an object, or has other members. */
function only(member: string, otherwise: string) {
  return (issue: { code?: string }): string =>
    issue.code === 'unrecognized_keys' ? `${member} is the only member there can be` : otherwise;
}
