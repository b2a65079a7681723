import { Queue } from '../../collections/queue.js';
import type { UserOrder } from '../store/user-order.js';
import type { StoreQueries } from './store-queries.js';

/** How many users are looked up at once. */
export const usersAtOnce = 32;
/** When the store is searched again for users who could go on: another one may have ended what they waited for. */
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
 * Users whose first event may be parked, and free to be sent: those whose current event has ended, and since the start
 * those that the store has.
 */
export class ParkedUsers {
  readonly #options: ParkedUsersOptions;
  readonly #users = new Queue<string>();
  /** Up to this user the store was searched since the start; undefined at the end. */
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

  /** Searches the store for more, for users whose events were parked before. @throws as the store does */
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

  /** Begins anew. */
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
