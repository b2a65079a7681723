import { createHash, randomUUID } from 'node:crypto';
import type { Event } from '../../events/event.js';
import { valueAt } from '../../json/members.js';
import { isBlank, isGiven } from '../../events/rules.js';
import type { Call, Envelope } from './envelope.js';

/** The messageId with which an event is sent. */
export interface CallId {
  readonly messageId: string;
  /** False when the call already contains it. */
  readonly writesMessageId: boolean;
  /** It was derived from the call and its batch: the same call, resent, gets the same id. */
  readonly derivesId: boolean;
}

/** @param place The batch, and the position of the call in it, from 1. */
export function messageIdOf(
  event: Event,
  call: Call,
  place: { readonly envelope: Envelope; readonly line: number },
): CallId {
  const own = idOf(event);
  if (own !== undefined) return { messageId: own, writesMessageId: false, derivesId: false };
  const derived = derivedId(call, place.envelope.messageId, place.line);
  return {
    messageId: derived ?? randomUUID(),
    writesMessageId: true,
    derivesId: derived !== undefined,
  };
}

/** A number is kept as its digits: two large ones can have the same value. */
function idOf(event: Event): string | undefined {
  const member = event.find('messageId');
  const id = member && valueAt(event.bytes, member);
  if (!isGiven(id)) return undefined;
  if (typeof id === 'string') return id;
  return event.bytes.toString('latin1', member!.start, member!.end);
}

/**
 * Old clients give an id to the batch only, and resend the same batch when its response is lost.
 * The text of the call is part of the hash, since a client may use one id for all batches.
 */
function derivedId({ bytes }: Call, batchId: unknown, line: number): string | undefined {
  if (typeof batchId !== 'string' || isBlank(batchId)) return undefined;
  const hash = createHash('sha256').update(`${batchId}\0${line}\0`).update(bytes);
  return `evfwd-${hash.digest('hex').slice(0, 32)}`;
}
