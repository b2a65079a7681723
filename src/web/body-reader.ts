import type { IncomingMessage } from 'node:http';
import type { TurnBudget } from './turn-budget.js';

export interface BodyLimits {
  /** Of one body. */
  readonly bodyBytes: number;
  /** Of all bodies that are being received or wait for their turn; unlimited by default. */
  readonly totalBytes?: number;
  /** Limits how much is handed out in one turn of the event loop; unlimited by default. */
  readonly turns?: TurnBudget;
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
  readonly #turns: TurnBudget | undefined;
  /**
   * Refuses a body that waits for more bytes or its turn; the oldest first. Most bodies are one chunk and
   * are not in it: a set that changes with each request keeps what it held until the next full collection, and
   * collecting takes several times as long.
   */
  readonly #busy = new Set<() => void>();
  #held = 0;

  constructor({ bodyBytes, totalBytes = Infinity, turns }: BodyLimits) {
    this.#bodyBytes = bodyBytes;
    this.#totalBytes = totalBytes;
    this.#turns = turns;
  }

  /** Bytes allocated for bodies of more than one chunk that are not complete, and for those that wait. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Calls `done` once, when the body is complete and has its turn, or has failed. The rest of a refused body is read
   * and dropped, so that the client sees the response.
   *
   * @param begins called at the first byte
   * @returns a function that ends the reading with `busy`; it does nothing once `done` was called
   */
  read(request: IncomingMessage, done: (end: BodyEnd) => void, begins?: () => void): () => void {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > this.#bodyBytes) {
      request.resume();
      done({ problem: 'too_large', bytes: announced });
      return ignore;
    }
    const body = new GrowingBody(announced > 0 ? announced : this.#bodyBytes);
    let bytes = 0;
    let held = 0;
    let isComplete = false;
    let isDone = false;
    const finish = (end: BodyEnd): void => {
      if (isDone) return;
      isDone = true;
      body.clear();
      if (held > 0) this.#release(onBusy, held);
      done(end);
    };
    const onData = (chunk: Buffer): void => {
      if (isDone) return;
      if (bytes === 0) begins?.();
      bytes += chunk.length;
      if (!body.add(chunk)) finish({ problem: 'too_large', bytes });
      else if (chunk.length !== announced) hold();
    };
    const hold = (): void => {
      this.#hold(onBusy, body.capacity - held);
      held = body.capacity;
      this.#makeRoom();
    };
    const onEnd = (): void => {
      if (isDone) return;
      isComplete = true;
      const take = (): void => finish({ body: body.bytes });
      if (!this.#turns) take();
      else if (!this.#turns.run(bytes, take)) hold();
    };
    const onBusy = (): void => finish({ problem: 'busy', bytes });
    // Never removed: that costs more than to ignore what follows. `close` follows every error.
    request
      .on('error', ignore)
      .on('data', onData)
      .on('end', onEnd)
      .on('close', () => {
        // A complete body is processed even if its client has disconnected.
        if (!isComplete) finish({ problem: 'aborted', bytes });
      });
    return onBusy;
  }

  #hold(refuse: () => void, bytes: number): void {
    this.#busy.add(refuse);
    this.#held += bytes;
  }

  #release(refuse: () => void, bytes: number): void {
    this.#busy.delete(refuse);
    this.#held -= bytes;
  }

  #makeRoom(): void {
    for (const refuse of this.#busy) {
      if (this.#held <= this.#totalBytes) return;
      refuse();
    }
  }
}

const empty: Buffer = Buffer.alloc(0);

/**
 * A buffer that grows with its chunks. A list of chunks would be simpler, but a client that sends
 * single bytes could make it take a hundred times their size.
 */
class GrowingBody {
  readonly #maxBytes: number;
  #buffer = empty;
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

  /** Lets go of the bytes. */
  clear(): void {
    this.#buffer = empty;
    this.#length = 0;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(length * 2, 4096), this.#maxBytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

function ignore(): void {
  // The reading has ended already.
}
