import { scanElements } from '../../json/elements.js';
import { scanMembers, type Member } from '../../json/members.js';
import { maxDepth, maxEventBytes } from '../../events/rules.js';
import { isObject, type Document } from './document.js';
import { Layer } from './layer.js';
import { maxCalls, maxMergedBytes } from './limits.js';
import { Refusal } from './refusal.js';

/** One call of a request: its own text, and what it means. */
export interface Call {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** The calls of a request, and what they have in common. */
export interface Envelope {
  readonly calls: readonly Call[];
  readonly context?: Layer | undefined;
  readonly integrations?: Layer | undefined;
  readonly sentAt?: unknown;
  /** Of the batch itself: what is sent again has the same. */
  readonly messageId?: unknown;
}

/** Opens the body of a single call: it is the call. */
export function openSingle({ bytes, value }: Document): Envelope {
  return { calls: [{ bytes, value }] };
}

/**
 * Opens the body of a batch.
 * @throws Refusal without calls in it or with too many, or when what is common to them is too large
 *   or too deep
 */
export function openBatch({ bytes, value }: Document): Envelope {
  const { batch } = value;
  if (!Array.isArray(batch)) throw new Refusal(400, 'missing_batch', 'the body has no batch array');
  if (batch.length === 0) throw new Refusal(400, 'empty_batch', 'the batch is empty');
  if (batch.length > maxCalls) {
    const message = `the batch has ${batch.length} elements; at most ${maxCalls} are taken`;
    throw new Refusal(400, 'too_many_events', message);
  }
  // Of names that stand twice the last is meant: the one in `value`.
  const members = new Map(scanMembers(bytes).members.map((member) => [member.name, member]));
  const elements = scanElements(bytes, members.get('batch')!.start);
  const calls = elements.map(({ start, end }, i) => ({
    bytes: bytes.subarray(start, end),
    value: (batch as unknown[])[i],
  }));
  const layer = (name: string) => layerOf(name, bytes, members.get(name), value[name]);
  const envelope = {
    calls,
    context: layer('context'),
    integrations: layer('integrations'),
    sentAt: value.sentAt,
    messageId: value.messageId,
  };
  checkMerged(envelope);
  return envelope;
}

/** Empty ones, PHP's empty arrays among them, add nothing; nor does what is no object. */
function layerOf(
  name: string,
  bytes: Buffer,
  member: Member | undefined,
  value: unknown,
): Layer | undefined {
  if (!member || !isObject(value)) return undefined;
  const layer = new Layer(bytes.subarray(member.start, member.end));
  if (layer.bytes.length > maxEventBytes) {
    const message = `the ${name} of the batch has more than ${maxEventBytes} bytes`;
    throw new Refusal(400, 'payload_too_large', message);
  }
  if (layer.depth >= maxDepth) {
    throw new Refusal(400, 'too_deep', `the ${name} of the batch nests ${layer.depth} levels`);
  }
  return layer.members.length > 0 ? layer : undefined;
}

/** Half a megabyte of tiny calls, each with a large context under it, would become gigabytes. */
function checkMerged({ calls, context, integrations }: Envelope): void {
  const added = (context?.bytes.length ?? 0) + (integrations?.bytes.length ?? 0);
  if (calls.length * added <= maxMergedBytes) return;
  const message = `the context and integrations of the batch, put under each of its events, have more than ${maxMergedBytes} bytes`;
  throw new Refusal(400, 'payload_too_large', message);
}
