import type { Change } from '../../../storage/group-commit.js';
import type { Accepted, IngestBatch } from '../../types.js';
import type { StoreContext } from './store-context.js';
import { runAll } from '../run-all.js';
import type { OnStored, StoredEvent } from '../stored.js';
import type { OnRepeated, Route } from '../service-store.js';

export interface IngestChangeOptions {
  readonly batch: IngestBatch;
  /** One per accepted event. */
  readonly routes: readonly Route[];
  readonly onStored: OnStored;
  readonly onRepeated?: OnRepeated;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes a batch to the store. */
export class IngestChange implements Change {
  readonly rows: number;
  readonly #context: StoreContext;
  readonly #options: IngestChangeOptions;
  readonly #stored: (readonly [StoredEvent, readonly string[]])[] = [];
  readonly #repeated: Accepted[] = [];

  constructor(context: StoreContext, options: IngestChangeOptions) {
    const { accepted, rejected } = options.batch;
    this.#context = context;
    this.#options = options;
    this.rows = accepted.length + rejected.length;
  }

  write(): void {
    const { batch } = this.#options;
    const { counts, nameTable } = this.#context;
    const source = nameTable.id('source', batch.source.name);
    if (this.rows > 0) counts.add(source, 0, 'received', this.rows);
    this.#writeEvents(source);
    for (const rejected of batch.rejected) {
      const { code, message, bytes, isJson } = rejected;
      const sql =
        'INSERT INTO rejected (source, received_at, code, message, bytes, is_json) VALUES (?, ?, ?, ?, ?, ?)';
      const values = [source, batch.receivedAt, code, message, bytes, isJson ? 1 : 0];
      this.#context.connection.run(sql, ...values);
      this.#context.kept.rejected.add(source, 1);
      counts.add(source, 0, `rejected:${code}`);
    }
  }

  /** The client gets its response first: whatever fails after that, the events are stored. */
  durable(): void {
    const { batch, onStored, onRepeated, resolve } = this.#options;
    resolve();
    try {
      runAll(this.#stored, ([event, destinations]) => onStored(event, destinations));
    } finally {
      runAll(this.#repeated, (accepted) => onRepeated?.(accepted, batch));
    }
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #writeEvents(source: number): void {
    const { batch, routes } = this.#options;
    const { nameTable } = this.#context;
    let route: Route | undefined;
    let ids: readonly number[] = [];
    batch.accepted.forEach((accepted, i) => {
      // Most events of a batch have the same route.
      if (routes[i] !== route) {
        route = routes[i]!;
        ids = route.destinations.map((name) => nameTable.id('destination', name));
      }
      this.#writeEvent(accepted, { source, route: route!, destinations: ids });
    });
  }

  #writeEvent(accepted: Accepted, entry: QueueEntry): void {
    const { counts, nameTable } = this.#context;
    const { source, destinations } = entry;
    const missing = this.#missing(accepted, entry);
    if (missing.length === 0 && destinations.length > 0) {
      counts.add(source, 0, 'repeated');
      this.#repeated.push(accepted);
      return;
    }
    const { skipped } = entry.route;
    for (const name of skipped) counts.add(source, nameTable.id('destination', name), 'skipped');
    if (missing.length > 0) this.#queue(accepted, missing, entry);
    else {
      if (skipped.length === 0) counts.add(source, 0, 'unforwarded');
      this.#keep(accepted, 0, []);
    }
  }

  /** Those of the destinations that have not had it within a day. */
  #missing(
    { stamp, derivesId }: Accepted,
    { source, destinations }: QueueEntry,
  ): readonly number[] {
    // A random id that was generated here cannot be repeated.
    if (stamp.writesMessageId && !derivesId) return destinations;
    return this.#context.seen.note(source, stamp.messageId, destinations);
  }

  #queue({ event, stamp }: Accepted, missing: readonly number[], entry: QueueEntry): void {
    const { nameTable, queue } = this.#context;
    const { receivedAt } = this.#options.batch;
    const stored = queue.add({ source: entry.source, receivedAt, event, stamp }, missing);
    const names = missing.map((one) => nameTable.name(one));
    this.#stored.push([stored, names]);
    this.#keep({ event, stamp }, stored.id, names);
  }

  #keep({ event, stamp }: Accepted, id: number, destinations: readonly string[]): void {
    const { source, receivedAt } = this.#options.batch;
    const kept = { id, source: source.name, receivedAt, event, stamp, destinations };
    this.#context.keptEvents?.add(kept);
  }
}

/** How an event of the batch is queued; source and destinations by their numbers. */
interface QueueEntry {
  readonly source: number;
  readonly route: Route;
  /** Those of the route. */
  readonly destinations: readonly number[];
}
