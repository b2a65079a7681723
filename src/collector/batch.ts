import type { LegState } from '../deliver/outcome.js';
import type { Outcome } from '../deliver/outcome.js';
import { version } from '../version.js';

/** A whole body, envelope included; section 3 of the interface. */
export const maxBatchBytes = 512_000;
/** Segment answers 200 to a larger batch, and drops it. */
export const maxBatchMessages = 2_500;

/** An event on its way in a batch. */
export interface Message {
  readonly messageId: string;
  /** Its JSON text; let go of as soon as the body of the batch is made. */
  text: string | Buffer;
  /** Length of `text` in bytes of UTF-8. */
  readonly bytes: number;
  /** How far earlier tries have come, where it was handed back. */
  readonly leg?: LegState | undefined;
  /** Called once, with how it ended. */
  settle(outcome: Outcome): void;
  /** Called when its batch begins to wait for a retry, which may take hours. */
  onWait?(): void;
}

/** Gathers messages until a batch is full, by number or by bytes. */
export class Batch {
  readonly messages: Message[] = [];
  readonly #maxMessages: number;
  #bytes = envelopeBytes;

  /** `maxMessages` above `maxBatchMessages` means that. */
  constructor(maxMessages: number) {
    this.#maxMessages = Math.min(maxMessages, maxBatchMessages);
  }

  /** Whether it holds as many messages as it may. */
  get isFull(): boolean {
    return this.messages.length >= this.#maxMessages;
  }

  /** Whether a message of so many bytes can go in; into an empty batch any valid event can. */
  fits(bytes: number): boolean {
    return !this.isFull && this.#bytes + comma.length + bytes <= maxBatchBytes;
  }

  add(message: Message): void {
    this.messages.push(message);
    this.#bytes += message.bytes + (this.messages.length > 1 ? comma.length : 0);
  }

  /**
   * The body that every try sends, made once: the texts of the messages are let go of.
   * `now` is in milliseconds since 1970.
   */
  seal(now: number): Buffer {
    const texts = this.messages.map((message) => message.text);
    for (const message of this.messages) message.text = '';
    return assemble(texts, this.#bytes, now);
  }
}

/** The body that carries the texts of messages, sent at `now` (milliseconds since 1970). */
export function batchBody(texts: readonly (string | Buffer)[], now: number): Buffer {
  const commas = Math.max(0, texts.length - 1) * comma.length;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), envelopeBytes + commas);
  return assemble(texts, bytes, now);
}

const comma = ',';
const head = '{"batch":[';
const library = JSON.stringify({ library: { name: 'evfwd', version } });

function tail(now: number): string {
  return `],"sentAt":"${new Date(now).toISOString()}","context":${library}}`;
}

const envelopeBytes = head.length + tail(0).length;

/** `bytes` is the length of the whole; texts are written into it once, without copies between. */
function assemble(texts: readonly (string | Buffer)[], bytes: number, now: number): Buffer {
  const body = Buffer.allocUnsafeSlow(bytes);
  let end = body.write(head, 0, 'latin1');
  texts.forEach((text, i) => {
    if (i > 0) end += body.write(comma, end, 'latin1');
    end += typeof text === 'string' ? body.write(text, end, 'utf8') : text.copy(body, end);
  });
  body.write(tail(now), end, 'latin1');
  return body;
}
