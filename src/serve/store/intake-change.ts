import type { Accepted, Intake } from '../types.js';
import type { Books } from './books.js';
import type { Change } from './group-commit.js';
import { seenKey } from './seen-key.js';
import { eventValues, type StoredEvent } from './stored.js';

/** What is to become of an event that was accepted. */
export interface Route {
  /** Names of the destinations that get it. */
  readonly destinations: readonly string[];
  /** Names of those that its integrations turn off. */
  readonly skipped: readonly string[];
}

/** Told of an event that is durable. */
export type OnStored = (event: StoredEvent, destinations: readonly string[]) => void;

/** Told of an event that was left out. */
export type OnRepeated = (accepted: Accepted, intake: Intake) => void;

export interface IntakeChangeOptions {
  readonly intake: Intake;
  /** One for each event that was accepted. */
  readonly routes: readonly Route[];
  readonly onStored: OnStored;
  readonly onRepeated?: OnRepeated;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What one request brought, on its way to the disk. */
export class IntakeChange implements Change {
  readonly rows: number;
  readonly #books: Books;
  readonly #options: IntakeChangeOptions;
  readonly #stored: (readonly [StoredEvent, readonly string[]])[] = [];
  readonly #repeated: Accepted[] = [];

  constructor(books: Books, options: IntakeChangeOptions) {
    const { accepted, rejected } = options.intake;
    this.#books = books;
    this.#options = options;
    this.rows = accepted.length + rejected.length;
  }

  write(): void {
    const { intake, routes } = this.#options;
    const { counts, parties } = this.#books;
    const source = parties.id('source', intake.source.name);
    if (this.rows > 0) counts.add(source, 0, 'received', this.rows);
    intake.accepted.forEach((accepted, i) => this.#writeEvent(source, accepted, routes[i]!));
    for (const rejected of intake.rejected) {
      const { code, message, bytes, isJson } = rejected;
      const sql =
        'INSERT INTO rejected (source, received_at, code, message, bytes, is_json) VALUES (?, ?, ?, ?, ?, ?)';
      const values = [source, intake.receivedAt, code, message, bytes, isJson ? 1 : 0];
      this.#books.connection.run(sql, ...values);
      this.#books.kept.rejected.add(source, 1);
      this.#books.pruneLater('rejected');
      counts.add(source, 0, `rejected:${code}`);
    }
  }

  committed(): void {
    const { intake, onStored, onRepeated } = this.#options;
    for (const [event, destinations] of this.#stored) onStored(event, destinations);
    for (const accepted of this.#repeated) onRepeated?.(accepted, intake);
    this.#options.resolve();
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #writeEvent(source: number, accepted: Accepted, route: Route): void {
    const { event, stamp, derivesId } = accepted;
    const { counts, seen, parties } = this.#books;
    // A random id that was made here cannot come twice.
    const canRepeat = !stamp.writesMessageId || derivesId;
    if (canRepeat && !seen.note(seenKey(source, stamp.messageId))) {
      counts.add(source, 0, 'repeated');
      this.#repeated.push(accepted);
      return;
    }
    const { destinations, skipped } = route;
    for (const name of skipped) counts.add(source, parties.id('destination', name), 'skipped');
    if (destinations.length === 0) {
      if (skipped.length === 0) counts.add(source, 0, 'unforwarded');
      return;
    }
    const { receivedAt } = this.#options.intake;
    const id = this.#books.insertEvent(
      eventValues(source, receivedAt, stamp, event.bytes),
      destinations.map((name) => parties.id('destination', name)),
    );
    const name = this.#options.intake.source.name;
    this.#stored.push([{ id, source: name, receivedAt, event, stamp }, destinations]);
  }
}
