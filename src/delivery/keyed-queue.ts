import { Queue } from '../collections/queue.js';

/** What is under way for one user, and what comes behind it. */
interface Line<T> {
  lookups: number;
  /** Made when the first item has to wait: most users never have one. */
  waiting: Queue<T> | undefined;
  isAdvancing: boolean;
}

/**
 * Lets the events of one user go strictly one after the other: the next begins when the one before
 * it has ended, retries included. Events of different users pass each other.
 */
export class KeyedQueue<T> {
  readonly #begin: (item: T) => void;
  readonly #maxHeld: number;
  readonly #lines = new Map<string, Line<T>>();
  #held = 0;
  #roomWaiters: (() => void)[] = [];
  #emptyWaiters: (() => void)[] = [];

  /** `begin` may end its item before it returns. At `maxHeld` items held, `room()` has to be waited for. */
  constructor(begin: (item: T) => void, maxHeld: number) {
    this.#begin = begin;
    this.#maxHeld = maxHeld;
  }

  /** How many items have not begun. */
  get held(): number {
    return this.#held;
  }

  /**
   * Begins an item at once when nothing of that user is under way, else holds it until everything
   * before it was released. `''` is nobody: its items always begin at once.
   *
   * @returns whether it has begun; a held item should not keep a large buffer alive.
   */
  hold(user: string, item: T): boolean {
    const line = this.#lines.get(user);
    if (line) {
      line.waiting ??= new Queue();
      line.waiting.push(item);
      this.#held++;
      return false;
    }
    if (user !== '') this.#start(user);
    this.#begin(item);
    return true;
  }

  /** One item of that user has ended: the next one begins, where there is one. */
  release(user: string): void {
    const line = this.#lines.get(user);
    if (!line) return;
    line.lookups--;
    this.#advance(user, line);
  }

  /** Holds that user's items until `release`, as if one more were under way; may be repeated. */
  block(user: string): void {
    if (user === '') return;
    const line = this.#lines.get(user);
    if (line) line.lookups++;
    else this.#start(user);
  }

  /** Undefined while more can be held, else a promise that settles when it can. */
  room(): Promise<void> | undefined {
    if (this.#held < this.#maxHeld) return undefined;
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Resolves when nothing is held and every user has been released. */
  async empty(): Promise<void> {
    if (this.#lines.size > 0) await new Promise<void>((done) => this.#emptyWaiters.push(done));
  }

  /** Takes out everything that has not begun, each user's items in order; they never begin then. */
  takeHeld(): T[] {
    const items: T[] = [];
    for (const { waiting } of this.#lines.values()) {
      if (waiting) for (const item of waiting.takeAll()) items.push(item);
    }
    this.#held = 0;
    this.#wake();
    return items;
  }

  #start(user: string): void {
    this.#lines.set(user, { lookups: 1, waiting: undefined, isAdvancing: false });
  }

  /** A loop, and no recursion: a thousand items that each end at once would fill the stack. */
  #advance(user: string, line: Line<T>): void {
    if (line.isAdvancing) return;
    line.isAdvancing = true;
    try {
      while (line.lookups <= 0 && line.waiting && line.waiting.size > 0) {
        const item = line.waiting.shift() as T;
        this.#held--;
        line.lookups++;
        this.#begin(item);
      }
    } finally {
      line.isAdvancing = false;
    }
    if (line.lookups <= 0) this.#lines.delete(user);
    this.#wake();
  }

  #wake(): void {
    if (this.#held < this.#maxHeld) for (const wake of this.#roomWaiters.splice(0)) wake();
    if (this.#lines.size === 0) for (const wake of this.#emptyWaiters.splice(0)) wake();
  }
}
