import type { Row } from '../../../storage/sqlite.js';

/** Which events of a block wait for a destination. */
export class QueuedBlock {
  readonly destination: number;
  /** Ids. */
  readonly first: number;
  readonly last: number;
  #waiting: number;
  readonly #bits: Uint8Array;

  constructor({ destination, last_id, event_count, waiting_count, waiting_bits }: Row) {
    this.destination = Number(destination);
    this.last = Number(last_id);
    this.first = this.last - Number(event_count) + 1;
    this.#waiting = Number(waiting_count);
    this.#bits = (waiting_bits as Uint8Array | null) ?? allSet(Number(event_count));
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** A bit for each event of the block, which is set while it waits. */
  get bits(): Uint8Array {
    return this.#bits;
  }

  /** Whether its bits fit to its counts. */
  get isSound(): boolean {
    if (this.#bits.length !== Math.ceil((this.last - this.first + 1) / 8)) return false;
    let waiting = 0;
    for (let id = this.first; id <= this.last; id++) if (this.isWaiting(id)) waiting++;
    return waiting === this.#waiting;
  }

  has(id: number): boolean {
    return this.first <= id && id <= this.last;
  }

  /** Whether this event of the block waits. */
  isWaiting(id: number): boolean {
    const at = id - this.first;
    return (this.#bits[at >> 3]! & (1 << (at & 7))) !== 0;
  }

  /** Lets an event not wait anymore. Returns whether it did. */
  remove(id: number): boolean {
    if (!this.isWaiting(id)) return false;
    const at = id - this.first;
    this.#bits[at >> 3]! &= ~(1 << (at & 7));
    this.#waiting--;
    return true;
  }
}

function allSet(bits: number): Uint8Array {
  return new Uint8Array(Math.ceil(bits / 8)).fill(0xff);
}
