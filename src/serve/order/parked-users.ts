import { Queue } from '../../collections/queue.js';
import type { UserOrder } from '../store/user-order.js';
import type { StoreQueries } from './store-queries.js';

/** How many users are looked up at once. */
export const usersAtOnce = 32;
/** When the store is searched again: another process may have ended what a user's events waited for. */
const scanAgainMs = 60_000;

export interface ParkedUsersOptions {
  readonly order: () => Pick<UserOrder, 'isEmpty' | 'usersAfter'>;
  readonly queries: StoreQueries;
  /** Calls once, after this time; returns what cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** There may be users. */
  readonly onMore: () => void;
}

/**
 * Users whose first event may be parked and ready to be sent: those whose current event has ended, and after the start
 * all that the store has.
 */
export class ParkedUsers {
  readonly #options: ParkedUsersOptions;
  readonly #users = new Queue<string>();
  /** The last user up to whom the store was searched; undefined when all were. */
  #scannedTo: string | undefined = '';
  #isScanning = false;
  #cancelScan: () => void = () => undefined;

  constructor(options: ParkedUsersOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#users.size === 0;
  }

  add(user: string): void {
    this.#users.push(user);
  }

  take(): string | undefined {
    return this.#users.shift();
  }

  /** Searches the store for more users with parked events. @throws what the store throws */
  scan(): void {
    const { order, queries, onMore } = this.#options;
    const after = this.#scannedTo;
    if (after === undefined || this.#isScanning) return;
    if (order().isEmpty) {
      this.#scannedTo = undefined;
      this.#scanAgain();
      return;
    }
    this.#isScanning = true;
    queries.ask(
      () => order().usersAfter(after, usersAtOnce),
      (users) => {
        this.#isScanning = false;
        this.#scannedTo = users.length < usersAtOnce ? undefined : users.at(-1)!;
        if (this.#scannedTo === undefined) this.#scanAgain();
        for (const user of users) this.#users.push(user);
        if (users.length > 0) onMore();
      },
      () => (this.#isScanning = false),
    );
  }

  /** Searches the store from its first user again. */
  restart(): void {
    this.#users.takeAll();
    this.#scannedTo = '';
    this.#isScanning = false;
  }

  close(): void {
    this.#cancelScan();
  }

  #scanAgain(): void {
    this.#cancelScan();
    this.#cancelScan = this.#options.after(scanAgainMs, () => {
      this.#scannedTo ??= '';
      this.#options.onMore();
    });
  }
}
