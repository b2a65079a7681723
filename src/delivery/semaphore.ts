import { withResolvers, type OpenPromise } from '../with-resolvers.js';
import { Queue } from '../collections/queue.js';

/** How an item is held; see `Gate`. */
export type Permit = 'active' | 'waiting' | 'taken';

/**
 * Counts what a target holds, so that reading waits while it is full. Active items use connections;
 * waiting ones only memory, until their retry is due. Those that one URL has taken, while others still
 * get them, take no room from the next: their number is bounded elsewhere.
 */
export class Semaphore {
  readonly #held: Record<Permit, number> = { active: 0, waiting: 0, taken: 0 };
  readonly #maxActive: number;
  readonly #maxWaiting: number;
  /** Those who wait to enter, in the order in which they came. */
  readonly #queue = new Queue<() => void>();
  #room: OpenPromise | undefined;
  #isOpening = false;
  #empty: OpenPromise | undefined;

  constructor(maxActive: number, maxWaiting: number) {
    this.#maxActive = maxActive;
    this.#maxWaiting = maxWaiting;
  }

  /** Undefined while there is room, else a promise for it. */
  room(): Promise<void> | undefined {
    if (this.#hasRoom()) return undefined;
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  /** Resolves when nothing is held any more, and nobody waits to enter. */
  async empty(): Promise<void> {
    if (this.#isEmpty()) return;
    this.#empty ??= withResolvers();
    await this.#empty.promise;
  }

  enter(): void {
    this.#held.active++;
  }

  /** Enters as soon as there is room, behind all who asked before. */
  enterInTurn(): Promise<void> {
    if (this.#queue.size > 0 || !this.#hasRoom()) {
      return new Promise((resolve) => this.#queue.push(resolve));
    }
    this.enter();
    return Promise.resolve();
  }

  /** Admits everyone who waits, whatever the limit; used after interrupt(), when what enters ends at once. */
  admitAll(): void {
    while (this.#queue.size > 0) this.#admit();
  }

  #admit(): void {
    this.enter();
    this.#queue.shift()!();
  }

  /** One item goes from one state to another; `ended` items are held no more. */
  move(from: Permit, to: Permit | 'ended'): void {
    this.#held[from]--;
    if (to !== 'ended') this.#held[to]++;
    this.#wake();
  }

  #wake(): void {
    if ((this.#room || this.#queue.size > 0) && this.#hasRoom()) this.#openSoon();
    if (this.#empty && this.#isEmpty()) {
      this.#empty.resolve();
      this.#empty = undefined;
    }
  }

  /**
   * When all that has arrived is read: whoever waits takes up what has become free in one go, instead of
   * waking for each.
   */
  #openSoon(): void {
    if (this.#isOpening) return;
    this.#isOpening = true;
    setImmediate(() => {
      this.#isOpening = false;
      while (this.#queue.size > 0 && this.#hasRoom()) this.#admit();
      if (!this.#hasRoom()) return;
      this.#room?.resolve();
      this.#room = undefined;
    });
  }

  #isEmpty(): boolean {
    const { active, waiting, taken } = this.#held;
    return active + waiting + taken + this.#queue.size === 0;
  }

  #hasRoom(): boolean {
    return this.#held.active < this.#maxActive && this.#held.waiting < this.#maxWaiting;
  }
}
