import { z } from 'zod';
import { eventTypes } from '../../events/event.js';
import { givenTimeHint, givenTimeMs, periodProblem } from '../../events/given-time.js';
import { perSecond, rateForm } from '../../rate.js';
import { Refusal } from '../collect/refusal.js';
import type { ReplayRequest } from '../kept/replay-store.js';

const name = 'must be the name of a destination';
const texts = z
  .array(z.string('must be a list of texts'), 'must be a list of texts')
  .min(1, 'must not be empty: leave it out for all')
  .max(1_000, 'must have at most 1,000 texts');
const timeMessage = `must be a time; ${givenTimeHint}`;
const time = z
  .string(timeMessage)
  .refine((text) => givenTimeMs(text, 0) !== undefined, timeMessage);
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
    .string(rateForm)
    .refine((text) => perSecond(text) !== undefined, rateForm)
    .optional(),
});

/**
 * @param now milliseconds since 1970
 * @throws Refusal 400 `bad_request` that names the member, for a body that is not valid or has unknown members
 */
export function replayRequestOf(body: unknown, now: number): ReplayRequest {
  const result = schema.safeParse(body);
  if (!result.success) throw new Refusal(400, 'bad_request', messageOf(result.error.issues[0]!));
  const { destination, types, events, users, where, state, rate } = result.data;
  const [since, until] = [result.data.since, result.data.until].map((text) =>
    text === undefined ? undefined : givenTimeMs(text, now),
  );
  const problem = periodProblem(since, until, now);
  if (problem !== undefined) throw new Refusal(400, 'bad_request', problem);
  return {
    destination,
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
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
