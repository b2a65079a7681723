import { maxKept, maxKeptBytes } from './limits.js';
import type { ReceivedRequest } from './received-request.js';

export interface RequestStoreLimits {
  readonly requests: number;
  /** Of bodies, headers, paths and the bodies of responses. */
  readonly bytes: number;
}

/** The newest requests, oldest first, as many as the limits allow. */
export class RequestStore {
  readonly #limits: RequestStoreLimits;
  #items: ReceivedRequest[] = [];
  /** How many at the beginning of `#items` are already dropped. */
  #dropped = 0;
  #bytes = 0;

  constructor(limits: RequestStoreLimits = { requests: maxKept, bytes: maxKeptBytes }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#items.length - this.#dropped;
  }

  /** At least the newest one stays, whatever its size. */
  add(received: ReceivedRequest): void {
    this.#items.push(received);
    this.#bytes += received.keptBytes;
    while (this.size > 1 && this.#isOverfull()) this.#dropOldest();
    if (this.#dropped > this.size) this.#compact();
  }

  clear(): void {
    this.#items = [];
    this.#dropped = this.#bytes = 0;
  }

  all(): ReceivedRequest[] {
    return this.#items.slice(this.#dropped);
  }

  /** Up to `limit` requests after this sequence number. */
  after(sequence: number, limit: number): ReceivedRequest[] {
    const first = this.#items[this.#dropped];
    if (!first) return [];
    const start = this.#dropped + Math.max(0, sequence + 1 - first.sequence);
    return this.#items.slice(start, start + limit);
  }

  find(id: string): ReceivedRequest | undefined {
    // Sequence numbers have no gaps, and the id ends with one.
    const sequence = Number(/-(\d{1,15})$/.exec(id)?.[1]);
    if (!(sequence > 0)) return undefined;
    const [found] = this.after(sequence - 1, 1);
    return found?.id === id ? found : undefined;
  }

  #isOverfull(): boolean {
    return this.size > this.#limits.requests || this.#bytes > this.#limits.bytes;
  }

  #dropOldest(): void {
    this.#bytes -= this.#items[this.#dropped]!.keptBytes;
    // Cleared at once, so that its body is freed before the list is compacted.
    this.#items[this.#dropped++] = undefined as never;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#dropped);
    this.#dropped = 0;
  }
}
