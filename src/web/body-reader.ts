import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  /** Of one body. */
  readonly bodyBytes: number;
  /** Of all bodies that are being received at once; none by default. */
  readonly totalBytes?: number;
}

/** A whole body, or why there is none; `aborted` when the client went away or made a mistake. */
export type BodyEnd =
  | { readonly problem?: undefined; readonly body: Buffer }
  | {
      readonly problem: 'too_large' | 'busy' | 'aborted';
      /** What the sender has announced, if that was too large, else what had come. */
      readonly bytes: number;
    };

/**
 * Reads the bodies of requests, which neither size, number nor pace of them can make fill memory. Where
 * too much is coming at once, what has been coming longest gives way: uploads that stall keep out none
 * that do not.
 */
export class BodyReader {
  readonly #bodyBytes: number;
  readonly #totalBytes: number;
  /** What ends each body that has begun to come, the oldest first. */
  readonly #busy = new Set<() => void>();
  #held = 0;

  constructor({ bodyBytes, totalBytes = Infinity }: BodyLimits) {
    this.#bodyBytes = bodyBytes;
    this.#totalBytes = totalBytes;
  }

  /** Bytes set aside for bodies that are not whole yet. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Calls `done` once, when the body is whole or cannot become so. The rest of a body that is
   * refused is read and dropped, so that the client sees the response.
   */
  read(request: IncomingMessage, done: (end: BodyEnd) => void): void {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > this.#bodyBytes) {
      request.resume();
      done({ problem: 'too_large', bytes: announced });
      return;
    }
    const body = new GrowingBody(this.#bodyBytes);
    let bytes = 0;
    const finish = (end: BodyEnd): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      this.#busy.delete(onBusy);
      this.#held -= body.capacity;
      if (end.problem) request.resume();
      done(end);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      const before = body.capacity;
      const fits = body.add(chunk);
      this.#held += body.capacity - before;
      this.#busy.add(onBusy);
      if (!fits) finish({ problem: 'too_large', bytes });
      this.#makeRoom();
    };
    const onEnd = (): void => finish({ body: body.bytes });
    const onBusy = (): void => finish({ problem: 'busy', bytes });
    const onClose = (): void => finish({ problem: 'aborted', bytes });
    // What an error says comes as `close`, too.
    request.on('error', ignore).on('data', onData).on('end', onEnd).on('close', onClose);
  }

  #makeRoom(): void {
    for (const refuse of this.#busy) {
      if (this.#held <= this.#totalBytes) return;
      refuse();
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

  /** As large as its bytes are, since it may be kept. */
  get bytes(): Buffer {
    if (this.#length === this.#buffer.length) return this.#buffer;
    return Buffer.from(this.#buffer.subarray(0, this.#length));
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
