import type { Change } from '../../../storage/group-commit.js';
import type { NewEvent } from '../event-block.js';
import type { StoreContext } from './store-context.js';
import { runAll } from '../run-all.js';
import {
  eventColumns,
  eventOfRow,
  type OnStored,
  type StoredEvent,
  unlessDamaged,
} from '../stored.js';

export interface RedeliveryChangeOptions {
  /** Ids of dead letters. */
  readonly ids: readonly number[];
  readonly onStored: OnStored;
  /** With the number of those that exist. */
  readonly resolve: (count: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Queues dead letters again, at the end of the queue and with a new retry window. */
export class RedeliveryChange implements Change {
  readonly rows: number;
  readonly #context: StoreContext;
  readonly #options: RedeliveryChangeOptions;
  readonly #stored: (readonly [StoredEvent, string])[] = [];

  constructor(context: StoreContext, options: RedeliveryChangeOptions) {
    this.#context = context;
    this.#options = options;
    this.rows = options.ids.length;
  }

  write(): void {
    // The oldest first, as they arrived.
    for (const id of [...new Set(this.#options.ids)].sort((one, other) => one - other)) {
      // One that cannot be read stays.
      const deadLetter = unlessDamaged(() => this.#read(id));
      if (deadLetter) this.#requeue(id, deadLetter);
    }
  }

  durable(): void {
    this.#options.resolve(this.#stored.length);
    runAll(this.#stored, ([event, destination]) => this.#options.onStored(event, [destination]));
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #read(id: number): DeadLetter | undefined {
    const { connection, nameTable } = this.#context;
    const row = connection.get(selectDeadLetter, id);
    if (!row) return undefined;
    const source = Number(row.source);
    // A dead letter has no time when it is queued, so only these fields are valid.
    const { receivedAt, event, stamp } = eventOfRow(row, nameTable.name(source));
    return { destination: Number(row.destination), source, receivedAt, event, stamp };
  }

  #requeue(deadLetterId: number, deadLetter: DeadLetter): void {
    const { connection, counts, kept, nameTable, queue, seen } = this.#context;
    const { destination, ...added } = deadLetter;
    const { source } = added;
    const stored = queue.add(added, [destination]);
    // It waits again, so a repeat is one.
    seen.note(source, added.stamp.messageId, [destination]);
    connection.run('DELETE FROM dead_letter WHERE id = ?', deadLetterId);
    kept.deadLetter.add(destination, -1);
    counts.add(source, destination, 'redelivered');
    this.#stored.push([stored, nameTable.name(destination)]);
  }
}

interface DeadLetter extends NewEvent {
  /** Number. */
  readonly destination: number;
}

const selectDeadLetter = `SELECT destination, ${eventColumns} FROM dead_letter WHERE id = ?`;
