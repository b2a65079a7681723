import { withResolvers, type OpenPromise } from '../with-resolvers.js';
import { Queue } from '../collections/queue.js';

/** How an item is held; see `Semaphore`. */
export type Permit = 'active' | 'waiting' | 'accepted';

/**
 * Counts the items in a target, so that reading waits while it is full. Active items use connections;
 * waiting ones use only memory until their retry is due. Accepted items, which one URL has and others
 * are still to get, do not count against the limits: the endpoint queues bound them.
 */
export class Semaphore {
  readonly #held: Record<Permit, number> = { active: 0, waiting: 0, accepted: 0 };
  readonly #maxActive: number;
  readonly #maxWaiting: number;
  /** Callers that wait to enter, in order of arrival. */
  readonly #queue = new Queue<() => void>();
  #room: OpenPromise | undefined;
  #isOpening = false;
  #empty: OpenPromise | undefined;
  readonly #shared: Semaphore | undefined;

  /** `shared` counts the items of several semaphores together; `room` waits for it, too. Default: none. */
  constructor(maxActive: number, maxWaiting: number, shared?: Semaphore) {
    this.#maxActive = maxActive;
    this.#maxWaiting = maxWaiting;
    this.#shared = shared;
  }

  /** Undefined while there is room, else a promise that resolves when there may be. */
  room(): Promise<void> | undefined {
    if (this.#hasRoom()) return this.#shared?.room();
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  /** Resolves when nothing is held, and nothing waits to enter. */
  async empty(): Promise<void> {
    if (this.#isEmpty()) return;
    this.#empty ??= withResolvers();
    await this.#empty.promise;
  }

  enter(): void {
    this.#held.active++;
    this.#shared?.enter();
  }

  /** Enters as soon as there is room, after all earlier callers. */
  enterInTurn(): Promise<void> {
    if (this.#queue.size > 0 || !this.#hasRoom()) {
      return new Promise((resolve) => this.#queue.push(resolve));
    }
    this.enter();
    return Promise.resolve();
  }

  /** Admits all waiting callers, whatever the limit; used after interrupt(), when each item ends at once. */
  admitAll(): void {
    while (this.#queue.size > 0) this.#admit();
  }

  #admit(): void {
    this.enter();
    this.#queue.shift()!();
  }

  /** Moves one item to another state; `ended` items are not held anymore. */
  move(from: Permit, to: Permit | 'ended'): void {
    this.#held[from]--;
    if (to !== 'ended') this.#held[to]++;
    this.#shared?.move(from, to);
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
   * Admits waiting callers after all received responses are read, so that they fill the free room in one
   * batch instead of one by one.
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
    const { active, waiting, accepted } = this.#held;
    return active + waiting + accepted + this.#queue.size === 0;
  }

  #hasRoom(): boolean {
    return this.#held.active < this.#maxActive && this.#held.waiting < this.#maxWaiting;
  }
}
