import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  /** Of one body. */
  readonly bodyBytes: number;
  /** Of all bodies that are being received at once; unlimited by default. */
  readonly totalBytes?: number;
}

/** A whole body, or why there is none; `aborted` when the client disconnected or sent invalid HTTP. */
export type BodyEnd =
  | { readonly problem?: undefined; readonly body: Buffer }
  | {
      readonly problem: 'too_large' | 'busy' | 'aborted';
      /** The announced length if that was too large, else the number of bytes received. */
      readonly bytes: number;
    };

/**
 * Reads the bodies of requests within a memory limit, whatever their size, number or speed. When the
 * limit is reached, the oldest body is refused, so stalled uploads do not block others.
 */
export class BodyReader {
  readonly #bodyBytes: number;
  readonly #totalBytes: number;
  /** Refuses a body that is being received; the oldest first. */
  readonly #busy = new Set<() => void>();
  #held = 0;

  constructor({ bodyBytes, totalBytes = Infinity }: BodyLimits) {
    this.#bodyBytes = bodyBytes;
    this.#totalBytes = totalBytes;
  }

  /** Bytes allocated for incomplete bodies. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Calls `done` once, when the body is complete or has failed. The rest of a refused body is read
   * and dropped, so that the client sees the response.
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
    // `close` follows every error.
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
 * A buffer that grows with its chunks. A list of chunks would be simpler, but a client that sends
 * single bytes could make it take a hundred times their size.
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

  /** An exact copy without spare capacity, since it may be kept. */
  get bytes(): Buffer {
    if (this.#length === this.#buffer.length) return this.#buffer;
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  /** Returns false when the chunk exceeds the limit. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    // Most bodies are one chunk and need no copy.
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
