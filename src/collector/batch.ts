import type { EndpointDeliveryState } from '../delivery/outcome.js';
import type { Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import { version } from '../version.js';
import { bytesOf, messageText, maxBytesOf, writeText, type MessageText } from './message-text.js';

/** Maximum size of a body, envelope included. */
export const maxBatchBytes = 512_000;
/** Segment responds 200 to a larger batch, and drops it. */
export const maxBatchMessages = 2_500;

/** Messages of one batch with the same state, which share one outcome. */
export interface Share<M> {
  readonly messages: readonly M[];
  /** The state after earlier attempts; undefined if there were none. */
  readonly endpointDelivery: EndpointDeliveryState | undefined;
}

/** Initial size of the buffer. */
const smallestBody = 8 * 1024;

/**
 * Collects messages until a batch is full, by number or by bytes. Their texts are written into the body at
 * once, so that their buffers are not kept until it is sent. `M` is whatever the caller needs to identify
 * a message.
 */
export class Batch<M> {
  /** All messages without earlier attempts are one share; each other message is its own share. */
  readonly shares: Share<M>[] = [];
  #notAttempted: M[] | undefined;
  #size = 0;
  readonly #maxMessages: number;
  #body: Buffer;
  #end: number;

  /**
   * `maxMessages` is limited to `maxBatchMessages`. A good estimate of the body's length avoids copies as
   * it grows.
   */
  constructor(maxMessages: number, expectedBytes = 0) {
    this.#maxMessages = Math.min(maxMessages, maxBatchMessages);
    // Not from the pool shared by small buffers, since a body can live for hours.
    this.#body = Buffer.allocUnsafeSlow(Math.max(expectedBytes, smallestBody));
    this.#end = this.#body.write(opening, 0, 'latin1');
  }

  /** Number of messages. */
  get size(): number {
    return this.#size;
  }

  /** Whether it has the maximum number of messages. */
  get isFull(): boolean {
    return this.#size >= this.#maxMessages;
  }

  /** Whether a message with this text fits; any valid event fits into an empty batch. */
  fits(text: MessageText): boolean {
    const room = maxBatchBytes - this.#end - comma.length - closingBytes;
    return !this.isFull && (maxBytesOf(text) <= room || bytesOf(text) <= room);
  }

  /** `endpointDelivery` is the state after earlier attempts, if there were any. */
  add(message: M, text: MessageText, endpointDelivery?: EndpointDeliveryState): void {
    this.#reserve(comma.length + maxBytesOf(text) + closingBytes);
    if (this.#size++ > 0) this.#body[this.#end++] = commaByte;
    this.#end = writeText(text, this.#body, this.#end);
    if (endpointDelivery) this.shares.push({ messages: [message], endpointDelivery });
    else (this.#notAttempted ??= this.#openShare()).push(message);
  }

  /** Completes the body, which every attempt sends. `now` is in milliseconds since 1970. */
  seal(now: number): Buffer {
    this.#end += this.#body.write(closing(now), this.#end, 'latin1');
    // A small batch may wait for hours, so its unused memory is released.
    if (this.#end * 2 < this.#body.length) this.#resize(this.#end);
    return this.#body.subarray(0, this.#end);
  }

  #openShare(): M[] {
    const messages: M[] = [];
    this.shares.push({ messages, endpointDelivery: undefined });
    return messages;
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#body.length) return;
    this.#resize(Math.max(needed, Math.min(this.#body.length * 2, maxBatchBytes)));
  }

  #resize(bytes: number): void {
    const body = Buffer.allocUnsafeSlow(bytes);
    this.#body.copy(body, 0, 0, this.#end);
    this.#body = body;
  }
}

/** The body that carries one event, sent at `now` (milliseconds since 1970). */
export function eventBatch(event: Event, stamp: Stamp, now: number): Buffer {
  const batch = new Batch<Event>(1);
  batch.add(event, messageText(event, stamp));
  return batch.seal(now);
}

const comma = ',';
const commaByte = comma.charCodeAt(0);
const opening = '{"batch":[';
const library = JSON.stringify({ library: { name: 'evfwd', version } });

function closing(sentAt: number): string {
  return `],"sentAt":"${new Date(sentAt).toISOString()}","context":${library}}`;
}

const closingBytes = closing(0).length;
