import type { MemoryPool, Refused } from './memory-pool.js';

/** From this share of the limit on, memory is short. */
const shortShare = 0.5;

/** The memory of what all destinations have read, and what of it those may hold that do not respond. */
export interface LoadPools {
  readonly all: MemoryPool;
  readonly silent: MemoryPool;
}

/**
 * What one destination has read from the store in blocks and batches that have not ended, in bytes. Each may hold as much
 * as is still free; beyond that, each may have one block and one batch up to the limit, and then they take turns.
 */
export class LoadShare implements Refused {
  readonly #pool: MemoryPool;
  readonly #silentPool: MemoryPool;
  readonly #onRoom: () => void;
  #held = 0;
  #isResponsive = false;
  /** Whether it was refused what would be its only block or batch, since it was woken last. */
  #awaitsOnly = false;
  #isWoken = false;

  constructor({ all, silent }: LoadPools, onRoom: () => void) {
    this.#pool = all;
    this.#silentPool = silent;
    this.#onRoom = onRoom;
  }

  /** How much more it may read; negative if it holds too much by now. */
  get roomBytes(): number {
    return this.#pool.freeBytes - this.#held;
  }

  /** Whether it should give back what it cannot send now. */
  get isShort(): boolean {
    return !this.#pool.isBelow(shortShare);
  }

  /** Whether it waits for room; then `onRoom` of its holder is called when there is. */
  get isRefused(): boolean {
    return this.#pool.isRefused(this);
  }

  get hasRoom(): boolean {
    return this.#hasRoomFor(this.#awaitsOnly);
  }

  /** It is silent until it responds. */
  noteResponsive(isResponsive: boolean): void {
    if (isResponsive === this.#isResponsive) return;
    this.#isResponsive = isResponsive;
    this.#silentPool.add(isResponsive ? -this.#held : this.#held);
    this.#pool.wakeSoon();
  }

  /**
   * Counts what is about to be read until the returned function is called. Undefined if there is no room, or others wait
   * for it: then `onRoom` is called later.
   *
   * @param isOnly whether nothing of its kind, blocks or batches, is in hand
   */
  reserve(bytes: number, isOnly: boolean): (() => void) | undefined {
    if (!this.#hasRoomFor(isOnly) || (this.#pool.hasRefused && !this.#isWoken)) {
      this.#awaitsOnly = isOnly || (this.isRefused && this.#awaitsOnly);
      this.#pool.refuse(this);
      // Those that wait may have no room because of what they hold themselves.
      this.#pool.wakeSoon();
      return undefined;
    }
    this.add(bytes);
    return () => this.add(-bytes);
  }

  /** Counts what was read; a negative number when it has ended. */
  add(bytes: number): void {
    this.#held += bytes;
    if (!this.#isResponsive) this.#silentPool.add(bytes);
    this.#pool.add(bytes);
  }

  wake(): void {
    this.#pool.forget(this);
    this.#isWoken = true;
    try {
      this.#onRoom();
    } finally {
      this.#isWoken = false;
    }
  }

  close(): void {
    this.#pool.forget(this);
  }

  #hasRoomFor(isOnly: boolean): boolean {
    const pools = this.#isResponsive ? [this.#pool] : [this.#pool, this.#silentPool];
    return pools.every((pool) => pool.freeBytes > this.#held || (isOnly && pool.isBelow(1)));
  }
}
