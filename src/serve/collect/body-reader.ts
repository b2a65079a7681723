import type { IncomingMessage } from 'node:http';
import { maxReceivingBytes, maxWireBytes } from './limits.js';
import { Refusal, retryLater } from './refusal.js';

export interface BodyLimits {
  /** Of one body. */
  readonly bodyBytes: number;
  /** Of all bodies that are being received at once. */
  readonly totalBytes: number;
}

/**
 * Reads the bodies of requests, which neither size, number nor pace of them can make fill memory. Where
 * too much is coming at once, what has been coming longest gives way: uploads that stall keep out none
 * that do not.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  /** What ends each body that has begun to come, the oldest first. */
  readonly #refusals = new Set<(refusal: Refusal) => void>();
  #held = 0;

  constructor(limits: BodyLimits = { bodyBytes: maxWireBytes, totalBytes: maxReceivingBytes }) {
    this.#limits = limits;
  }

  /** Bytes set aside for bodies that are not whole yet. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * The whole body.
   * @throws Refusal when it is too large (the rest is read and dropped, so that the client sees the
   *   answer), when it is in the way of others, or when the client went away
   */
  read(request: IncomingMessage): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (Number(request.headers['content-length'] ?? 0) > this.#limits.bodyBytes) {
        request.resume();
        reject(tooLarge(this.#limits.bodyBytes));
        return;
      }
      const body = new GrowingBody(this.#limits.bodyBytes);
      const finish = (refusal: Refusal | undefined): void => {
        request.off('data', onData).off('end', onEnd).off('close', onClose);
        this.#refusals.delete(finish);
        this.#held -= body.capacity;
        if (!refusal) resolve(body.bytes);
        else {
          request.resume();
          reject(refusal);
        }
      };
      const onData = (chunk: Buffer): void => {
        const before = body.capacity;
        const fits = body.add(chunk);
        this.#held += body.capacity - before;
        this.#refusals.add(finish);
        if (!fits) finish(tooLarge(this.#limits.bodyBytes));
        this.#makeRoom();
      };
      const onEnd = (): void => finish(undefined);
      const onClose = (): void => finish(aborted());
      // What an error says comes as `close`, too.
      request.on('error', ignore).on('data', onData).on('end', onEnd).on('close', onClose);
    });
  }

  #makeRoom(): void {
    for (const refuse of this.#refusals) {
      if (this.#held <= this.#limits.totalBytes) return;
      refuse(busy());
    }
  }
}

/**
 * Bytes that are put together as they come. A list of chunks would be simpler, but a client that
 * sends single bytes could make it a hundred times as large as they are.
 */
class GrowingBody {
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get capacity(): number {
    return this.#buffer.length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** False when it does not fit. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    // Most bodies are one chunk, and need no copy.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
    return true;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(length * 2, 4096), this.#maxBytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

function ignore(): void {
  // See above.
}

export function tooLarge(maxBytes: number): Refusal {
  return new Refusal(400, 'payload_too_large', `the body has more than ${maxBytes} bytes`);
}

function busy(): Refusal {
  const message = 'too much is being received at the moment; send it again';
  return new Refusal(503, 'busy', message, { headers: retryLater });
}

function aborted(): Refusal {
  return new Refusal(400, 'aborted', 'the request broke off before the end of its body');
}
