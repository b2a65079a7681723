import { maxKept, maxKeptBytes } from './limits.js';
import { keep, restore, type KeptRequest } from './kept-request.js';
import type { ReceivedRequest } from './received-request.js';

export interface RequestStoreLimits {
  readonly requests: number;
  /** Of bodies, headers and paths. */
  readonly bytes: number;
}

/** The newest requests, oldest first, as many as the limits allow. */
export class RequestStore {
  readonly #limits: RequestStoreLimits;
  #items: KeptRequest[] = [];
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
    const kept = keep(received);
    this.#items.push(kept);
    this.#bytes += sizeOf(kept);
    while (this.size > 1 && this.#isOverfull()) this.#dropOldest();
    if (this.#dropped > this.size) this.#compact();
  }

  clear(): void {
    this.#items = [];
    this.#dropped = this.#bytes = 0;
  }

  all(): ReceivedRequest[] {
    return this.#items.slice(this.#dropped).map(restore);
  }

  /** Up to `most` requests after this sequence number. */
  after(sequence: number, most: number): ReceivedRequest[] {
    const first = this.#items[this.#dropped];
    if (!first) return [];
    const start = this.#dropped + Math.max(0, sequence + 1 - first.sequence);
    return this.#items.slice(start, start + most).map(restore);
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
    this.#bytes -= sizeOf(this.#items[this.#dropped]!);
    // Cleared at once, so that its body is freed before the list is compacted.
    this.#items[this.#dropped++] = undefined as never;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#dropped);
    this.#dropped = 0;
  }
}

function sizeOf({ body, headerText, path, response }: KeptRequest): number {
  return body.length + headerText.length + path.length + (response.content?.body.length ?? 0);
}
