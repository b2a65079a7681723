import { scanElements } from '../../json/elements.js';
import { valueAt } from '../../json/members.js';
import type { ObjectText } from '../../json/object-text.js';
import { maxDepth, maxEventBytes } from '../../events/rules.js';
import type { Document } from './document.js';
import { maxCalls, maxMergedBytes } from './limits.js';
import { Refusal } from './refusal.js';

const openBracket = 0x5b;

/** One call of a request. */
export interface Call {
  readonly bytes: Buffer;
  /** `JSON.parse` of its text, run on first use. @throws Refusal when a single call is not JSON */
  readonly value: unknown;
}

/** The calls of a request, and the members they share. */
export interface Envelope {
  readonly calls: readonly Call[];
  readonly context?: ObjectText | undefined;
  readonly integrations?: ObjectText | undefined;
  /** The `sentAt` of the batch; not checked. */
  readonly sentAt?: unknown;
  /** Of the batch itself; the same when it is resent. */
  readonly messageId?: unknown;
}

/** Opens the body of a single call, which is the call itself. */
export function openSingle(document: Document): Envelope {
  return { calls: [document] };
}

/**
 * Opens the body of a batch.
 * @throws Refusal when it is not a JSON object, when it has no calls or too many, or when the shared
 *   members are too large or nested too deeply
 */
export function openBatch({ bytes, object }: Document): Envelope {
  const batch = object.find('batch');
  if (!batch || bytes[batch.start] !== openBracket) {
    throw new Refusal(400, 'missing_batch', 'the body has no batch array');
  }
  const elements = scanElements(bytes, batch.start);
  if (elements.length === 0) throw new Refusal(400, 'empty_batch', 'the batch is empty');
  if (elements.length > maxCalls) {
    const message = `the batch has ${elements.length} elements; at most ${maxCalls} are accepted`;
    throw new Refusal(400, 'too_many_events', message);
  }
  const envelope = {
    calls: elements.map(({ start, end }) => new BatchedCall(bytes.subarray(start, end))),
    context: commonObject('context', object),
    integrations: commonObject('integrations', object),
    sentAt: valueOf('sentAt', object),
    messageId: valueOf('messageId', object),
  };
  checkMerged(envelope);
  return envelope;
}

class BatchedCall implements Call {
  readonly bytes: Buffer;
  #value: unknown;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get value(): unknown {
    return (this.#value ??= JSON.parse(this.bytes.toString()) as unknown);
  }
}

function valueOf(name: string, object: ObjectText): unknown {
  const member = object.find(name);
  return member && valueAt(object.bytes, member);
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
