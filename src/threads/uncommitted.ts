const rowsAt = 0;
const hurryAt = 1;
const threadsAt = 2;

/** Memory for the rows of so many threads. */
export function sharedRows(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer((threadsAt + threads) * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * How many rows have ended and are not on the disk, in all threads of an import, and which threads wait
 * for there to be fewer. All threads share it, so that each sees at once what the others do.
 */
export class Uncommitted {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  get rows(): number {
    return Atomics.load(this.#words, rowsAt);
  }

  /** So many more have ended, or, below zero, are on the disk. */
  add(rows: number): void {
    Atomics.add(this.#words, rowsAt, rows);
  }

  /** Asks for a commit. True for the first to ask since the last one. */
  hurry(): boolean {
    return Atomics.exchange(this.#words, hurryAt, 1) === 0;
  }

  /** What was asked for is done. */
  hurried(): void {
    Atomics.store(this.#words, hurryAt, 0);
  }

  /** A thread waits from now on, until it is taken. Whoever waits looks at the rows again after this. */
  wait(thread: number): void {
    Atomics.store(this.#words, threadsAt + thread, 1);
  }

  /** Whether a thread waits; it no longer does. */
  takeWaiting(thread: number): boolean {
    return Atomics.exchange(this.#words, threadsAt + thread, 0) === 1;
  }
}
