import { Queue } from '../collections/queue.js';

/** What is in progress for one user, and what waits for it. */
interface UserQueue<T> {
  active: number;
  /** Created when the first item has to wait, since most users never have one. */
  waiting: Queue<T> | undefined;
  isAdvancing: boolean;
}

/**
 * Processes the events of one user strictly in order: the next one begins when the previous one has ended,
 * retries included. Events of different users are independent.
 */
export class KeyedQueue<T> {
  readonly #begin: (item: T) => void;
  readonly #maxHeld: number;
  readonly #users = new Map<string, UserQueue<T>>();
  #held = 0;
  #roomWaiters: (() => void)[] = [];
  #emptyWaiters: (() => void)[] = [];

  /** `begin` may end its item before it returns. When `maxHeld` items are held, `room()` returns a promise. */
  constructor(begin: (item: T) => void, maxHeld: number) {
    this.#begin = begin;
    this.#maxHeld = maxHeld;
  }

  /** Number of items that have not begun. */
  get held(): number {
    return this.#held;
  }

  /**
   * Begins an item at once if nothing of that user is in progress, else holds it until everything
   * before it was released. Items of the user `''` always begin at once.
   *
   * @returns whether it has begun; a held item should not keep a large buffer alive.
   */
  hold(user: string, item: T): boolean {
    const queue = this.#users.get(user);
    if (queue) {
      queue.waiting ??= new Queue();
      queue.waiting.push(item);
      this.#held++;
      return false;
    }
    if (user !== '') this.#start(user);
    this.#begin(item);
    return true;
  }

  /** Ends one item of that user, so that the next one begins. */
  release(user: string): void {
    const queue = this.#users.get(user);
    if (!queue) return;
    queue.active--;
    this.#advance(user, queue);
  }

  /** Holds that user's items until `release`, as if one more were in progress; may be repeated. */
  block(user: string): void {
    if (user === '') return;
    const queue = this.#users.get(user);
    if (queue) queue.active++;
    else this.#start(user);
  }

  /** Undefined while more items can be held, else a promise that resolves when they can. */
  room(): Promise<void> | undefined {
    if (this.#held < this.#maxHeld) return undefined;
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Resolves when nothing is held and every user has been released. */
  async empty(): Promise<void> {
    if (this.#users.size > 0) await new Promise<void>((done) => this.#emptyWaiters.push(done));
  }

  /** Removes and returns all items that have not begun, each user's in order. */
  takeHeld(): T[] {
    const items: T[] = [];
    for (const { waiting } of this.#users.values()) {
      if (waiting) for (const item of waiting.takeAll()) items.push(item);
    }
    this.#held = 0;
    this.#wake();
    return items;
  }

  #start(user: string): void {
    this.#users.set(user, { active: 1, waiting: undefined, isAdvancing: false });
  }

  /** A loop instead of recursion: a thousand items that each end at once would overflow the stack. */
  #advance(user: string, queue: UserQueue<T>): void {
    if (queue.isAdvancing) return;
    queue.isAdvancing = true;
    try {
      while (queue.active <= 0 && queue.waiting && queue.waiting.size > 0) {
        const item = queue.waiting.shift() as T;
        this.#held--;
        queue.active++;
        this.#begin(item);
      }
    } finally {
      queue.isAdvancing = false;
    }
    if (queue.active <= 0) this.#users.delete(user);
    this.#wake();
  }

  #wake(): void {
    if (this.#held < this.#maxHeld) for (const wake of this.#roomWaiters.splice(0)) wake();
    if (this.#users.size === 0) for (const wake of this.#emptyWaiters.splice(0)) wake();
  }
}
