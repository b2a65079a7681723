import type { Change } from '../../storage/group-commit.js';
import type { Row, SqlValue } from '../../storage/sqlite.js';
import type { StoreContext } from './books.js';
import type { OnStored } from './intake-change.js';
import { runAll } from './run-all.js';
import { eventColumns, storedEvent, type StoredEvent } from './stored.js';

export interface RedeliveryChangeOptions {
  /** Ids of dead letters. */
  readonly ids: readonly number[];
  readonly onStored: OnStored;
  /** With how many of them there were. */
  readonly resolve: (count: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes waiting events of dead letters again, at the end of the queue and with all their tries. */
export class RedeliveryChange implements Change {
  readonly rows: number;
  readonly #books: StoreContext;
  readonly #options: RedeliveryChangeOptions;
  readonly #stored: (readonly [StoredEvent, string])[] = [];

  constructor(books: StoreContext, options: RedeliveryChangeOptions) {
    this.#books = books;
    this.#options = options;
    this.rows = options.ids.length;
  }

  write(): void {
    for (const id of new Set(this.#options.ids)) {
      const letter = this.#books.connection.get(selectLetter, id);
      if (letter) this.#requeue(id, letter);
    }
  }

  committed(): void {
    this.#options.resolve(this.#stored.length);
    runAll(this.#stored, ([event, destination]) => this.#options.onStored(event, [destination]));
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #requeue(letterId: number, letter: Row): void {
    const { connection, counts, parties, clock } = this.#books;
    const source = Number(letter.source);
    const destination = Number(letter.destination);
    const values = eventColumns.split(', ').map((column): SqlValue => letter[column]!);
    const queuedAt = clock.now();
    const id = this.#books.insertEvent(values, queuedAt, [destination]);
    connection.run('DELETE FROM letter WHERE id = ?', letterId);
    this.#books.kept.letter.add(destination, -1);
    counts.add(source, destination, 'redelivered');
    const event = storedEvent({ ...letter, id, queued_at: queuedAt }, parties.name(source));
    this.#stored.push([event, parties.name(destination)]);
  }
}

const selectLetter = `SELECT destination, ${eventColumns} FROM letter WHERE id = ?`;
