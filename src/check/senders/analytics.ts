import type { EventType } from '../../events/event.js';
import { eventTypes } from '../../events/event.js';
import {
  jsonSender,
  type EventKind,
  type EventMarks,
  type Message,
  type KnownSender,
} from './sender.js';

/** The user of every analytics event, by which a handler can leave them out. */
const checkUser = 'evfwd-check';

const kinds = eventTypes.map((type): EventKind => ({
  name: type,
  what: `a valid ${type === 'delete' ? 'deletion notice' : `${type} event`}`,
  make: (marks) => (type === 'delete' ? deletion(marks) : call(type, marks)),
}));

/** Analytics calls as webhooks (docs/webhook-body.md), signed with `X-Signature`. */
export const analytics: KnownSender = jsonSender({
  schemes: ['x-signature'],
  mark: 'event.context?.evfwdCheck',
  kinds,
  usual: kinds.find(({ name }) => name === 'track')!,
  id: { path: ['messageId'] },
  kind: { path: ['type'] },
  free: ['properties'],
});

/** A deletion notice has no place for other marks than the user. */
function deletion({ nowMs }: EventMarks): Message {
  const timestamp = new Date(nowMs).toISOString();
  return { json: { type: 'delete', userId: checkUser, timestamp } };
}

function call(type: Exclude<EventType, 'delete'>, { id, nowMs }: EventMarks): Message {
  const user = type === 'alias' ? {} : { userId: checkUser };
  const timestamp = new Date(nowMs).toISOString();
  const context = { evfwdCheck: true };
  const head = { version: 1, type, ...user, messageId: id, timestamp, context };
  return { json: { ...head, ...membersOf[type] } };
}

const membersOf: Readonly<Record<Exclude<EventType, 'delete'>, object>> = {
  identify: { traits: { plan: 'check', visits: 3 } },
  track: { event: 'Endpoint Checked', properties: { total: 12, currency: 'EUR' } },
  page: { name: 'Home', category: 'Check', properties: { section: 'check' } },
  screen: { name: 'Home', category: 'Check', properties: { section: 'check' } },
  group: { groupId: 'evfwd-check-group', traits: { plan: 'check' } },
  alias: { 'Previous ID': 'evfwd-check-previous', 'User ID': checkUser },
};
