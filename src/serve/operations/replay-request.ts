import { z } from 'zod';
import { eventTypes } from '../../events/event.js';
import { timestampMs } from '../../events/timestamp.js';
import { perSecond, rateHint } from '../../rate.js';
import { Refusal } from '../collect/refusal.js';
import type { ReplayRequest } from '../kept/replay.js';

const name = 'must be the name of a destination';
const texts = z
  .array(z.string('must be a list of texts'), 'must be a list of texts')
  .min(1, 'must not be empty: leave it out for all')
  .max(1_000, 'must have at most 1,000 texts');
const isTime = (text: string): boolean => timestampMs(text) !== undefined;
const timeMessage = 'must be a time, such as 2026-10-01T08:00:00Z';
const time = z.string(timeMessage).refine(isTime, timeMessage);
const rateMessage = `must be a rate; ${rateHint}`;
const typeMessage = `must be a list of types: ${eventTypes.join(', ')}`;
const stateMessage = 'must be any, delivered or dead';

const schema = z.strictObject({
  destination: z.string(name).min(1, name),
  since: time.optional(),
  until: time.optional(),
  types: z.array(z.enum(eventTypes, typeMessage), typeMessage).min(1, typeMessage).optional(),
  events: texts.optional(),
  users: texts.optional(),
  where: texts.optional(),
  state: z.enum(['any', 'delivered', 'dead'], stateMessage).optional(),
  rate: z
    .string(rateMessage)
    .refine((text) => perSecond(text) !== undefined, rateMessage)
    .optional(),
});

/** @throws Refusal 400 `bad_request` that names the member, for a body that is not valid or has unknown members */
export function replayRequestOf(body: unknown): ReplayRequest {
  const result = schema.safeParse(body);
  if (!result.success) throw new Refusal(400, 'bad_request', messageOf(result.error.issues[0]!));
  const { destination, since, until, types, events, users, where, state, rate } = result.data;
  return {
    destination,
    ...(since !== undefined && { since: timestampMs(since)! }),
    ...(until !== undefined && { until: timestampMs(until)! }),
    ...(types && { types }),
    ...(events && { events }),
    ...(users && { users }),
    ...(where && { where }),
    state: state ?? 'any',
    ...(rate !== undefined && { perSecond: perSecond(rate)! }),
  };
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(schema.shape).join(', ');
    return `${issue.keys[0]!} is not a member of a replay; known are ${known}`;
  }
  const [member] = issue.path;
  if (member === undefined) return 'the body must be a JSON object with the destination';
  return `${String(member)} ${issue.message}`;
}
