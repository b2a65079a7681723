import type { EventType } from '../events/event.js';

/** The user of every event, by which a handler can leave them out. */
export const checkUser = 'evfwd-check';

/** The body of an event, and the id that it is signed with. */
export interface CheckEvent {
  readonly body: Buffer;
  readonly messageId: string;
}

/** Members that replace those of the usual event, or are added behind them. */
export type Changes = Readonly<Record<string, unknown>>;

/**
 * The webhook body of an event of this type (docs/webhook-body.md), marked as one of a check. It stays
 * the same when it is parsed and written again, so that only `sign.raw-bytes` shows who does that.
 */
export function checkEvent(
  type: EventType,
  messageId: string,
  nowMs: number,
  changes: Changes = {},
): CheckEvent {
  const timestamp = new Date(nowMs).toISOString();
  const usual = type === 'delete' ? deletion(timestamp) : call(type, messageId, timestamp);
  return { body: Buffer.from(JSON.stringify({ ...usual, ...changes })), messageId };
}

/** A deletion notice has no place for other marks than the user. */
function deletion(timestamp: string): object {
  return { type: 'delete', userId: checkUser, timestamp };
}

function call(type: Exclude<EventType, 'delete'>, messageId: string, timestamp: string): object {
  const user = type === 'alias' ? {} : { userId: checkUser };
  const context = { evfwdCheck: true };
  return { version: 1, type, ...user, messageId, timestamp, context, ...membersOf[type] };
}

const membersOf: Readonly<Record<Exclude<EventType, 'delete'>, object>> = {
  identify: { traits: { plan: 'check', visits: 3 } },
  track: { event: 'Endpoint Checked', properties: { total: 12, currency: 'EUR' } },
  page: { name: 'Home', category: 'Check', properties: { path: '/check' } },
  screen: { name: 'Home', category: 'Check', properties: { section: 'check' } },
  group: { groupId: 'evfwd-check-group', traits: { plan: 'check' } },
  alias: { 'Previous ID': 'evfwd-check-previous', 'User ID': checkUser },
};
