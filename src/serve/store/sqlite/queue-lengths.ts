import type { StateFile } from '../../../storage/state-file.js';
import type { QueueLength } from '../service-store.js';

const empty: QueueLength = { waiting: 0, retrying: 0 };

/** Queue lengths, counted once at the start and updated with each commit. */
export class QueueLengths {
  readonly #lengths = new Map<number, QueueLength>();
  #changes: (readonly [destination: number, waiting: number, retrying: number])[] = [];

  constructor(connection: StateFile) {
    for (const { destination, waiting, retrying } of connection.all(selectLengths)) {
      const length = { waiting: Number(waiting), retrying: Number(retrying) };
      this.#lengths.set(Number(destination), length);
    }
  }

  of(destination: number): QueueLength {
    return this.#lengths.get(destination) ?? empty;
  }

  /** The destinations for which something waits. */
  get destinations(): number[] {
    return [...this.#lengths].filter(([, { waiting }]) => waiting > 0).map(([id]) => id);
  }

  /** Within a transaction: changes the length by these numbers. */
  add(destination: number, waiting: number, retrying: number): void {
    this.#changes.push([destination, waiting, retrying]);
  }

  committed(): void {
    for (const [destination, waiting, retrying] of this.#changes) {
      const before = this.of(destination);
      this.#lengths.set(destination, {
        waiting: before.waiting + waiting,
        retrying: before.retrying + retrying,
      });
    }
    this.#changes = [];
  }

  rolledBack(): void {
    this.#changes = [];
  }
}

const selectLengths = `SELECT destination, sum(waiting) AS waiting, sum(retrying) AS retrying FROM (
    SELECT destination, sum(waiting_count) AS waiting, 0 AS retrying FROM queued_block
      WHERE destination > 0 GROUP BY destination
    UNION ALL
    SELECT destination, count(*), count(*) FROM retry WHERE destination > 0 GROUP BY destination
    UNION ALL
    SELECT destination, sum(is_parked), 0 FROM user_event WHERE destination > 0 GROUP BY destination)
  GROUP BY destination`;
