/** What was refused memory of a pool. */
export interface Refused {
  /** Whether it may have it now. */
  readonly hasRoom: boolean;
  wake(): void;
}

/** The memory that some destinations share. */
export class MemoryPool {
  readonly #bytes: number;
  /** Beyond this, not even a destination without an event in flight may send one. */
  readonly #limitBytes: number;
  /** In the order in which they were refused; each is woken when there is room. */
  readonly #refused = new Set<Refused>();
  #held = 0;
  #isWakeDue = false;

  constructor(bytes: number, limitBytes = Infinity) {
    this.#bytes = bytes;
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#held;
  }

  get freeBytes(): number {
    return this.#bytes - this.#held;
  }

  /** Whether less than this share of the limit is held. */
  isBelow(share: number): boolean {
    return this.#held < share * this.#limitBytes;
  }

  get hasRefused(): boolean {
    return this.#refused.size > 0;
  }

  isRefused(one: Refused): boolean {
    return this.#refused.has(one);
  }

  add(bytes: number): void {
    this.#held += bytes;
    if (bytes < 0) this.wakeSoon();
  }

  refuse(one: Refused): void {
    this.#refused.add(one);
  }

  /** Returns whether it was refused. */
  forget(one: Refused): boolean {
    return this.#refused.delete(one);
  }

  /** Wakes those that have room, once for everything that is freed in this turn of the event loop. */
  wakeSoon(): void {
    if (this.#isWakeDue || this.#refused.size === 0) return;
    this.#isWakeDue = true;
    setImmediate(() => {
      this.#isWakeDue = false;
      for (const one of [...this.#refused]) if (one.hasRoom) one.wake();
    });
  }
}
