import { scanElements } from '../../json/elements.js';
import { ObjectText } from '../../json/object-text.js';
import { maxDepth, maxEventBytes } from '../../events/rules.js';
import type { Document } from './document.js';
import { maxCalls, maxMergedBytes } from './limits.js';
import { Refusal } from './refusal.js';

/** One call of a request: its text and its value. */
export interface Call {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** The calls of a request, and the members they share. */
export interface Envelope {
  readonly calls: readonly Call[];
  readonly context?: ObjectText | undefined;
  readonly integrations?: ObjectText | undefined;
  readonly sentAt?: unknown;
  /** Of the batch itself; the same when it is resent. */
  readonly messageId?: unknown;
}

/** Opens the body of a single call, which is the call itself. */
export function openSingle({ bytes, value }: Document): Envelope {
  return { calls: [{ bytes, value }] };
}

/**
 * Opens the body of a batch.
 * @throws Refusal when it has no calls or too many, or when the shared members are too large or
 *   nested too deeply
 */
export function openBatch({ bytes, value }: Document): Envelope {
  const { batch } = value;
  if (!Array.isArray(batch)) throw new Refusal(400, 'missing_batch', 'the body has no batch array');
  if (batch.length === 0) throw new Refusal(400, 'empty_batch', 'the batch is empty');
  if (batch.length > maxCalls) {
    const message = `the batch has ${batch.length} elements; at most ${maxCalls} are accepted`;
    throw new Refusal(400, 'too_many_events', message);
  }
  const object = new ObjectText(bytes);
  const elements = scanElements(bytes, object.find('batch')!.start);
  const calls = elements.map(({ start, end }, i) => ({
    bytes: bytes.subarray(start, end),
    value: (batch as unknown[])[i],
  }));
  const envelope = {
    calls,
    context: commonObject('context', object),
    integrations: commonObject('integrations', object),
    sentAt: value.sentAt,
    messageId: value.messageId,
  };
  checkMerged(envelope);
  return envelope;
}

/** Undefined for an empty object, or anything else than an object, such as PHP's empty array. */
function commonObject(name: string, envelope: ObjectText): ObjectText | undefined {
  const object = envelope.child(name);
  if (!object) return undefined;
  if (object.bytes.length > maxEventBytes) {
    const message = `the ${name} of the batch has more than ${maxEventBytes} bytes`;
    throw new Refusal(400, 'payload_too_large', message);
  }
  if (object.depth >= maxDepth) {
    throw new Refusal(400, 'too_deep', `the ${name} of the batch nests ${object.depth} levels`);
  }
  return object.members.length > 0 ? object : undefined;
}

/** Half a megabyte of tiny calls, each merged with a large context, would become gigabytes. */
function checkMerged({ calls, context, integrations }: Envelope): void {
  const added = (context?.bytes.length ?? 0) + (integrations?.bytes.length ?? 0);
  if (calls.length * added <= maxMergedBytes) return;
  const message = `the context and integrations of the batch, merged into each of its events, have more than ${maxMergedBytes} bytes`;
  throw new Refusal(400, 'payload_too_large', message);
}
