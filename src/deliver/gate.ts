import { withResolvers, type OpenPromise } from '../with-resolvers.js';

/** How an item is held; see `Gate`. */
export type Holding = 'active' | 'waiting' | 'taken';

/**
 * Counts what a target holds, so that reading waits while it is full. Active items use connections;
 * waiting ones only memory, until their retry is due. Those that one URL has taken, while others still
 * get them, take no room from the next: their number is bounded elsewhere.
 */
export class Gate {
  readonly #held: Record<Holding, number> = { active: 0, waiting: 0, taken: 0 };
  readonly #maxActive: number;
  readonly #maxWaiting: number;
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

  /** Resolves when nothing is held any more. */
  async empty(): Promise<void> {
    if (this.#isEmpty()) return;
    this.#empty ??= withResolvers();
    await this.#empty.promise;
  }

  enter(): void {
    this.#held.active++;
  }

  /** One item goes from one state to another; `ended` items are held no more. */
  move(from: Holding, to: Holding | 'ended'): void {
    this.#held[from]--;
    if (to !== 'ended') this.#held[to]++;
    this.#wake();
  }

  #wake(): void {
    if (this.#room && this.#hasRoom()) this.#openSoon();
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
      if (!this.#hasRoom()) return;
      this.#room?.resolve();
      this.#room = undefined;
    });
  }

  #isEmpty(): boolean {
    const { active, waiting, taken } = this.#held;
    return active + waiting + taken === 0;
  }

  #hasRoom(): boolean {
    return this.#held.active < this.#maxActive && this.#held.waiting < this.#maxWaiting;
  }
}
