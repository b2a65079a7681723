import type { MissingTargetError } from '../../config/missing-target.js';
import type { UsageError } from '../../errors.js';
import { isGiven } from '../../events/rules.js';
import { missingParts } from '../shared/missing.js';

type Value = Readonly<Record<string, unknown>>;

/** @returns undefined unless at least two are missing: one has an error of its own. */
export function severalMissing(
  event: Value,
  target: MissingTargetError | undefined,
): UsageError | undefined {
  const missing = [...missingMembers(event), ...(target ? [target.part] : [])];
  if (missing.length < 2) return undefined;
  return missingParts(missing, example);
}

const example =
  "evfwd send track --event 'Order Completed' --user-id u1 --url http://localhost:3000/hook";

function missingMembers(event: Value): string[] {
  const { type } = event;
  return [
    type === undefined && 'a type (e.g. track)',
    type === 'track' && !hasText(event.event) && 'an event name (--event)',
    type === 'group' && !isGiven(event.groupId) && 'a group ID (--group-id)',
    type === 'alias' && !isGiven(event.previousId) && 'a previous ID (--previous-id)',
    missingUser(event),
  ].filter((part) => part !== false);
}

function missingUser({ type, userId, anonymousId }: Value): string | false {
  if (isGiven(userId)) return false;
  if (type === 'alias' || type === 'delete') return 'a user ID (--user-id)';
  return !isGiven(anonymousId) && 'a user (--user-id or --anonymous-id)';
}

function hasText(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
