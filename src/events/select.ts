import { createHash } from 'node:crypto';
import type { Event, EventType } from './event.js';
import { isGiven } from './rules.js';
import { eventTimeMs } from './event-time.js';
import { valueAt } from '../json/members.js';
import { valueAtPath } from '../json/path.js';
import { parseCondition } from './where.js';
import { wildcard } from './wildcard.js';

/** Which events are sent. All conditions must hold; an absent one always does. */
export interface Selection {
  /** Inclusive, milliseconds since 1970. An event without timestamp is then left out. */
  readonly since?: number;
  /** Exclusive, milliseconds since 1970. */
  readonly until?: number;
  readonly types?: readonly EventType[];
  /** Names of track events; `*` matches any text. */
  readonly events?: readonly string[];
  /** Matched against userId and anonymousId. */
  readonly users?: ReadonlySet<string>;
  /** Conditions on members, as `parseCondition` reads them. */
  readonly where?: readonly string[];
  /** Share of users, 0 to 1; always the same users. */
  readonly sample?: number;
}

/** What a selection is made from; a member that is undefined is absent. */
type SelectionParts = {
  readonly [Name in Exclude<keyof Selection, 'users'>]?: Selection[Name] | undefined;
} & {
  readonly users?: readonly string[] | undefined;
};

export function selectionFrom({
  since,
  until,
  types,
  events,
  users,
  where,
  sample,
}: SelectionParts): Selection {
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(types && { types }),
    ...(events && { events }),
    ...(users && { users: new Set(users) }),
    ...(where && { where }),
    ...(sample !== undefined && { sample }),
  };
}

type Condition = (event: Event) => boolean;

/** One test for a whole selection. */
export function selector(selection: Selection): Condition {
  const conditions = conditionsOf(selection);
  return (event) => conditions.every((condition) => condition(event));
}

function conditionsOf({
  since,
  until,
  types,
  events,
  users,
  where,
  sample,
}: Selection): Condition[] {
  const conditions: Condition[] = [];
  if (types) conditions.push(({ type }) => types.includes(type));
  if (events) conditions.push(namedLike(events));
  if (users)
    conditions.push(({ value }) => isIn(users, value.userId) || isIn(users, value.anonymousId));
  if (since !== undefined || until !== undefined) conditions.push(between(since, until));
  for (const text of where ?? []) {
    const fits = parseCondition(text);
    conditions.push(({ bytes }) => fits((path) => valueAtPath(bytes, path)));
  }
  if (sample !== undefined) conditions.push((event) => shareOf(userOf(event)) < sample);
  return conditions;
}

function namedLike(patterns: readonly string[]): Condition {
  const forms = patterns.map(wildcard);
  return (event) => {
    const member = event.type === 'track' ? event.find('event') : undefined;
    const name = member && valueAt(event.bytes, member);
    return typeof name === 'string' && forms.some((form) => form.test(name));
  };
}

function between(since = -Infinity, until = Infinity): Condition {
  return (event) => {
    const at = eventTimeMs(event);
    return at !== undefined && at >= since && at < until;
  };
}

function isIn(users: ReadonlySet<string>, id: unknown): boolean {
  return (typeof id === 'string' || typeof id === 'number') && users.has(String(id));
}

/** Whom an event is about: the userId, else the anonymousId, else ''. */
export function userOf({ value }: Pick<Event, 'value'>): string {
  const { userId, anonymousId } = value;
  if (isGiven(userId)) return String(userId);
  return isGiven(anonymousId) ? String(anonymousId) : '';
}

/** A number in [0, 1): always the same for one user, uniform over many. */
function shareOf(user: string): number {
  return createHash('sha1').update(user).digest().readUInt32BE(0) / 2 ** 32;
}
