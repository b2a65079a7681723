import { eventTypes, isProblem, type Event, type Origin } from '../../events/event.js';
import { isObject } from '../../json/is-object.js';
import type { KnownName } from '../../json/known-names.js';
import { scanMembers } from '../../json/members.js';
import { fastPath, parseEvent, trim } from '../../events/parse.js';
import { checkDepth, checkSize, maxEventBytes, type Violation } from '../../events/rules.js';
import type { Stamp } from '../../events/stamp.js';
import type { Accepted, Rejected } from '../types.js';
import { messageIdOf, type CallId } from './call-id.js';
import { eventText, ownLength, type CallContext } from './call.js';
import type { Call, Envelope } from './envelope.js';
import { maxStoredBytes } from './limits.js';
import { skewOf, timesOf } from './times.js';

/** What is known about a call besides its text. */
export interface CallDetails {
  readonly envelope: Envelope;
  /** From the URL, when it has one. */
  readonly type: string | undefined;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly origin: Origin;
}

/**
 * Turns a call into an event, or rejects it.
 *
 * @throws Refusal when it is the whole body of its request, which is not a JSON object
 */
export function eventOfCall(call: Call, context: CallDetails): Accepted | Rejected {
  const event = eventAsSent(call, context) ?? eventRewritten(call, context);
  if (isRejected(event)) return event;
  if (event.type === 'delete') return rejected(isDelete, event.bytes);
  const { envelope, origin, receivedAt } = context;
  const id = messageIdOf(event, call, { envelope, line: origin.line });
  return { event, stamp: stampOf(event, id, receivedAt), derivesId: id.derivesId };
}

/** The event of a call that is kept byte for byte, as those of most clients; else undefined. */
function eventAsSent({ bytes }: Call, context: CallDetails): Event | undefined {
  const { envelope, type, receivedAt, origin } = context;
  const isMerged = envelope.context !== undefined || envelope.integrations !== undefined;
  // The space around a call counts, as below.
  if (bytes.length > maxEventBytes) return undefined;
  if (isMerged || skewOf(envelope.sentAt, receivedAt) !== 0) return undefined;
  // A copy: the body may be large, and is not kept in memory for one event.
  const event = fastPath(Buffer.from(trim(bytes)), origin);
  return event && !isRewritten(event, type) ? event : undefined;
}

/** Whether a valid event is changed for what it has itself. */
function isRewritten(event: Event, type: string | undefined): boolean {
  const has = (name: KnownName): boolean => event.find(name) !== undefined;
  // The type of the path takes precedence.
  if (type !== undefined && event.type !== type) return true;
  // They are removed.
  if (has('sentAt') || has('writeKey')) return true;
  // It becomes the timestamp.
  return has('originalTimestamp') && !has('timestamp');
}

/** The event of any call, with what its request adds. */
function eventRewritten(call: Call, details: CallDetails): Event | Rejected {
  const { bytes, value } = call;
  if (!isObject(value)) return rejected(notAnObject, Buffer.from(bytes));
  const { envelope, type, receivedAt, origin } = details;
  const { members, depth } = scanMembers(bytes);
  const callText = { bytes, members, value };
  const text = (context: CallContext) => eventText(callText, context);
  const violation = checkSize(ownLength(callText)) ?? checkDepth(depth);
  if (violation) return rejected(violation, text({}));
  const { context, integrations } = envelope;
  const skewMs = skewOf(value.sentAt ?? envelope.sentAt, receivedAt);
  const times = timesOf(value, skewMs);
  const item = parseEvent(text({ type, context, integrations, times }), origin, maxStoredBytes);
  return isProblem(item) ? rejected(reasonOf(item), item.bytes) : item;
}

export function isRejected(result: Accepted | Event | Rejected): result is Rejected {
  return 'code' in result;
}

const notAnObject: Violation = { code: 'not_an_event', message: 'the event is not an object' };

/** The general messages also list `delete`, which clients cannot send as a call. */
function reasonOf({ code, message }: Violation): Violation {
  return { code, message: typeMessages.get(code) ?? message };
}

const collected = eventTypes.filter((type) => type !== 'delete').join(', ');

const typeMessages: ReadonlyMap<string, string> = new Map([
  ['missing_type', `type is missing; it must be one of ${collected}`],
  ['unknown_type', `type must be one of ${collected}`],
]);

const isDelete: Violation = {
  code: 'delete_not_collected',
  message: 'delete is not accepted here; send a deletion request to POST /v1/delete',
};

function rejected({ code, message }: Violation, bytes: Buffer): Rejected {
  return { code, message, bytes, isJson: true };
}

function stampOf(event: Event, { messageId, writesMessageId }: CallId, receivedAt: number): Stamp {
  if (event.find('timestamp')) return { messageId, writesMessageId };
  return { messageId, writesMessageId, timestamp: new Date(receivedAt).toISOString() };
}
