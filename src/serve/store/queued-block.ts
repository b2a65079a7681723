import type { Row } from '../../storage/sqlite.js';

/** Which events of a block still wait for a destination. */
export class QueuedBlock {
  readonly destination: number;
  /** Ids. */
  readonly first: number;
  readonly last: number;
  #waiting: number;
  /** A bit for each event that does not wait anymore. */
  readonly #ended: Uint8Array;

  constructor({ destination, last, events, waiting, ended }: Row) {
    this.destination = Number(destination);
    this.last = Number(last);
    this.first = this.last - Number(events) + 1;
    this.#waiting = Number(waiting);
    this.#ended = (ended as Uint8Array | null) ?? new Uint8Array(Math.ceil(Number(events) / 8));
  }

  get waiting(): number {
    return this.#waiting;
  }

  get ended(): Uint8Array {
    return this.#ended;
  }

  has(id: number): boolean {
    return this.first <= id && id <= this.last;
  }

  /** Whether this event of the block still waits. */
  isWaiting(id: number): boolean {
    const at = id - this.first;
    return (this.#ended[at >> 3]! & (1 << (at & 7))) === 0;
  }

  /** Returns whether it waited. */
  end(id: number): boolean {
    if (!this.isWaiting(id)) return false;
    const at = id - this.first;
    this.#ended[at >> 3]! |= 1 << (at & 7);
    this.#waiting--;
    return true;
  }
}
