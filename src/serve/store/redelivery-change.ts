import type { Change } from '../../storage/group-commit.js';
import type { Row } from '../../storage/sqlite.js';
import type { StoreContext } from './store-context.js';
import type { OnStored } from './ingest-change.js';
import { runAll } from './run-all.js';
import { eventColumns, eventOfRow, type StoredEvent } from './stored.js';

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
    for (const id of new Set(this.#options.ids)) {
      const deadLetter = this.#context.connection.get(selectDeadLetter, id);
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

  #requeue(deadLetterId: number, deadLetter: Row): void {
    const { connection, counts, kept, nameTable, queue } = this.#context;
    const source = Number(deadLetter.source);
    const destination = Number(deadLetter.destination);
    // A dead letter has no time when it is queued, so only these fields are valid.
    const { receivedAt, event, stamp } = eventOfRow(deadLetter, nameTable.name(source));
    const stored = queue.add({ source, receivedAt, event, stamp }, [destination]);
    connection.run('DELETE FROM letter WHERE id = ?', deadLetterId);
    kept.deadLetter.add(destination, -1);
    counts.add(source, destination, 'redelivered');
    this.#stored.push([stored, nameTable.name(destination)]);
  }
}

const selectDeadLetter = `SELECT destination, ${eventColumns} FROM letter WHERE id = ?`;
