import { createHash } from 'node:crypto';
import {
  withId,
  type AttemptResult,
  type EndpointDeliveryState,
  type Outcome,
  type SharedOutcome,
} from '../delivery/outcome.js';
import type { Outgoing } from '../delivery/target.js';
import { detachEvent } from '../events/text-event.js';
import type { BatchSettings } from './batch-settings.js';

/** An event in a batch. */
export interface BatchedEvent {
  readonly outgoing: Outgoing;
  readonly done: (outcome: Outcome) => void;
}

/** What the events of one batch have in common. */
export interface Addressed {
  /** The URLs that want them, a bit for each; undefined: all. */
  readonly wanted: number | undefined;
  /** Of `Stamp`. */
  readonly replay?: string | undefined;
  /** Where they stand at each URL after earlier attempts; undefined: they were not attempted. */
  readonly endpointDeliveries: readonly EndpointDeliveryState[] | undefined;
}

/** Initial size of the buffer. */
const smallestBody = 4 * 1024;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** Events that go in one request, whose body is a JSON array of what each would be sent as. */
export class EventBatch {
  readonly addressed: Addressed;
  readonly events: BatchedEvent[] = [];
  /** Where each text ends in the body. */
  readonly #ends: number[] = [];
  /** Attempts of the larger batches that it was a part of. */
  readonly #attempted: readonly AttemptResult[];
  #body: Buffer;
  #end = 1;

  constructor(
    addressed: Addressed,
    attempted: readonly AttemptResult[] = [],
    expectedBytes = smallestBody,
  ) {
    this.addressed = addressed;
    this.#attempted = attempted;
    // Not from the pool shared by small buffers, since a body can wait for a retry.
    this.#body = Buffer.allocUnsafeSlow(expectedBytes);
    this.#body[0] = openBracket;
  }

  /** The same for a batch of the same events, so that a retry has it, too. */
  get id(): string {
    const hash = createHash('sha256');
    for (const { outgoing } of this.events) hash.update(`${outgoing.stamp.messageId}\n`);
    return `batch_${hash.digest('hex').slice(0, 32)}`;
  }

  /** Whether its events were attempted already, as a part of a larger batch. */
  get wasAttempted(): boolean {
    return this.#attempted.length > 0;
  }

  /** Whether nothing more fits in, since it has as many events, or bytes, as it may. */
  isFull({ size, maxBytes }: BatchSettings): boolean {
    return this.events.length >= size || this.#end >= maxBytes;
  }

  /** Whether one more event fits in; the first one always does. */
  fits(text: Buffer, { maxBytes }: BatchSettings): boolean {
    return this.events.length === 0 || this.#end + 1 + text.length + 1 <= maxBytes;
  }

  /** Copies the text of the event. */
  add(event: BatchedEvent, text: Buffer): void {
    this.#reserve(text.length + 2);
    if (this.events.length > 0) this.#body[this.#end++] = comma;
    this.#body.set(text, this.#end);
    this.#end += text.length;
    this.events.push(event);
    this.#ends.push(this.#end);
  }

  body(): Buffer {
    this.#body[this.#end] = closeBracket;
    return this.#body.subarray(0, this.#end + 1);
  }

  /** Two batches with half of the events each, after these attempts of the whole. */
  halves(
    endpointDeliveries: readonly EndpointDeliveryState[],
    attempts: readonly AttemptResult[],
  ): readonly EventBatch[] {
    const attempted = [...this.#attempted, ...attempts];
    const middle = Math.ceil(this.events.length / 2);
    const end = this.#ends[middle - 1]!;
    const half = (bytes: number): EventBatch =>
      new EventBatch({ ...this.addressed, endpointDeliveries }, attempted, bytes);
    const [first, second] = [half(end + 2), half(this.#end - end + 2)];
    let start = 1;
    this.events.forEach((event, index) => {
      const textEnd = this.#ends[index]!;
      (index < middle ? first : second).add(event, this.#body.subarray(start, textEnd));
      start = textEnd + 1;
    });
    return [first, second];
  }

  /** Releases what its events were read from. */
  detach(): void {
    for (const { outgoing } of this.events) outgoing.event = detachEvent(outgoing.event);
  }

  /** Ends each event with the outcome of the batch. One that is to be retried knows its batch. */
  report(outcome: SharedOutcome): void {
    const retry = outcome.retry && {
      ...outcome.retry,
      endpointDeliveries: outcome.retry.endpointDeliveries.map((state) => ({
        ...state,
        batch: this.id,
      })),
    };
    const attempts =
      this.#attempted.length === 0 ? outcome.attempts : [...this.#attempted, ...outcome.attempts];
    for (const { outgoing, done } of this.events)
      done(withId({ ...outcome, attempts, ...(retry && { retry }) }, outgoing.stamp.messageId));
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#body.length) return;
    const body = Buffer.allocUnsafeSlow(Math.max(needed, this.#body.length * 2));
    this.#body.copy(body, 0, 0, this.#end);
    this.#body = body;
  }
}

/** The request that carries one event alone: what schemes sign it with, and its body. */
export function batchOfOne(
  outgoing: Outgoing,
  text: Buffer,
): { readonly id: string; readonly body: Buffer } {
  const batch = new EventBatch({ wanted: undefined, endpointDeliveries: undefined });
  batch.add({ outgoing, done: () => undefined }, text);
  return { id: batch.id, body: batch.body() };
}
