import type { EndpointDeliveryState } from '../delivery/outcome.js';
import type { Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import { version } from '../version.js';
import { bytesOf, messageText, mostBytesOf, writeText, type MessageText } from './message-text.js';

/** A whole body, envelope included; section 3 of the interface. */
export const maxBatchBytes = 512_000;
/** Segment answers 200 to a larger batch, and drops it. */
export const maxBatchMessages = 2_500;

/** Messages of one batch that have come equally far, so that they end alike. */
export interface Share<M> {
  readonly messages: readonly M[];
  /** How far earlier tries have come; undefined where there were none. */
  readonly endpointDelivery: EndpointDeliveryState | undefined;
}

/** Room to begin with. */
const smallestBody = 8 * 1024;

/**
 * Gathers messages until a batch is full, by number or by bytes. Their texts are written to their
 * place in the body at once, so that nothing is held on to until it is sent. What a message is
 * beside its text is its owner's business.
 */
export class Batch<M> {
  /** All messages that were never tried before are one share, each other message is its own. */
  readonly shares: Share<M>[] = [];
  #notAttempted: M[] | undefined;
  #size = 0;
  readonly #maxMessages: number;
  #body: Buffer;
  #end: number;

  /**
   * `maxMessages` above `maxBatchMessages` means that. A good guess of the body's length saves
   * copies as it grows.
   */
  constructor(maxMessages: number, expectedBytes = 0) {
    this.#maxMessages = Math.min(maxMessages, maxBatchMessages);
    // Not from the pool that small buffers share, for a body can live for hours.
    this.#body = Buffer.allocUnsafeSlow(Math.max(expectedBytes, smallestBody));
    this.#end = this.#body.write(head, 0, 'latin1');
  }

  /** How many messages it holds. */
  get size(): number {
    return this.#size;
  }

  /** Whether it holds as many messages as it may. */
  get isFull(): boolean {
    return this.#size >= this.#maxMessages;
  }

  /** Whether a message of this text can go in; into an empty batch any valid event can. */
  fits(text: MessageText): boolean {
    const room = maxBatchBytes - this.#end - comma.length - tailBytes;
    return !this.isFull && (mostBytesOf(text) <= room || bytesOf(text) <= room);
  }

  /** `leg` tells how far earlier tries have come, where there were any. */
  add(message: M, text: MessageText, endpointDelivery?: EndpointDeliveryState): void {
    this.#reserve(comma.length + mostBytesOf(text) + tailBytes);
    if (this.#size++ > 0) this.#body[this.#end++] = commaByte;
    this.#end = writeText(text, this.#body, this.#end);
    if (endpointDelivery) this.shares.push({ messages: [message], endpointDelivery });
    else (this.#notAttempted ??= this.#openShare()).push(message);
  }

  /** The body that every try sends. `now` is in milliseconds since 1970. */
  seal(now: number): Buffer {
    this.#end += this.#body.write(tail(now), this.#end, 'latin1');
    // Few messages, sent because time was up, may wait for hours: not with room for many.
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
const head = '{"batch":[';
const library = JSON.stringify({ library: { name: 'evfwd', version } });

function tail(sentAt: number): string {
  return `],"sentAt":"${new Date(sentAt).toISOString()}","context":${library}}`;
}

const tailBytes = tail(0).length;
