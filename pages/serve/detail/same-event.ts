import type { EventAtDestination } from '../../../src/api/serve.js';

/**
 * Whether two records are of one event. Requests with one id are different ones where their methods or paths differ:
 * senders use an id for all endpoints of a customer.
 */
export function isSameEvent(
  one: EventAtDestination,
  other: EventAtDestination,
  areRequests: boolean,
): boolean {
  if (one.id === other.id) return true;
  const hasSameId = one.messageId !== null && one.messageId === other.messageId;
  if (!hasSameId || one.source !== other.source) return false;
  return !areRequests || (one.type === other.type && one.name === other.name);
}
