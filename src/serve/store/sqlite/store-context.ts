import type { Clock } from '../../../clock.js';
import type { KeptFiles } from '../../kept/kept-files.js';
import type { StateFile } from '../../../storage/state-file.js';
import { Counts } from './counts.js';
import { DeadLetters } from './dead-letters.js';
import { EventQueue } from './event-queue.js';
import { RowCounts } from './row-counts.js';
import { RowLimit } from './row-limit.js';
import { NameTable } from './name-table.js';
import { RetryTimes } from './retry-times.js';
import { SeenEvents } from './seen-events.js';
import { maxStoredRows } from '../stored.js';

/** Called for events of a destination that were set aside because they cannot be read. */
export type OnSetAside = (destination: string, events: number) => void;

/** Called for dead letters of a destination that were dropped for newer ones. */
export type OnDropped = (destination: string, count: number) => void;

export interface StoreContextOptions {
  readonly clock: Clock;
  readonly onDropped: OnDropped;
  readonly onDamaged: OnSetAside;
  readonly maxRows?: typeof maxStoredRows | undefined;
  /** Default: nothing is kept. */
  readonly keptEvents?: KeptFiles | undefined;
}

/** The connection of a store and its in-memory tables, shared by its changes. */
export class StoreContext {
  readonly connection: StateFile;
  readonly clock: Clock;
  readonly retryTimes: RetryTimes;
  readonly nameTable: NameTable;
  readonly counts: Counts;
  readonly queue: EventQueue;
  readonly seen: SeenEvents;
  /** By destination, and by source. */
  readonly kept: Readonly<Record<keyof typeof maxStoredRows, RowCounts>>;
  readonly deadLetters: DeadLetters;
  readonly keptEvents: KeptFiles | undefined;
  readonly deadLetterLimit: RowLimit;
  readonly #rejected: RowLimit;
  readonly #deletions: RowLimit;
  readonly #onDropped: OnDropped;

  constructor(connection: StateFile, options: StoreContextOptions) {
    const { clock, onDropped, onDamaged, maxRows: most = maxStoredRows } = options;
    this.connection = connection;
    this.clock = clock;
    this.keptEvents = options.keptEvents;
    this.retryTimes = new RetryTimes(connection, clock);
    this.nameTable = new NameTable(connection);
    this.counts = new Counts(connection, this.nameTable);
    this.queue = new EventQueue({
      ...{ connection, clock, nameTable: this.nameTable },
      onDamaged: (destination, events) => onDamaged(this.nameTable.name(destination), events),
    });
    this.seen = new SeenEvents(connection, clock, this.nameTable);
    this.kept = {
      deadLetter: new RowCounts(connection, 'dead_letter', 'destination'),
      rejected: new RowCounts(connection, 'rejected', 'source'),
      deletion: new RowCounts(connection, 'deletion', 'source'),
    };
    const { nameTable, seen } = this;
    this.deadLetters = new DeadLetters({
      connection,
      clock,
      nameTable,
      seen,
      kept: this.kept.deadLetter,
    });
    this.deadLetterLimit = new RowLimit(
      connection,
      'dead_letter',
      this.kept.deadLetter,
      most.deadLetter,
    );
    this.#rejected = new RowLimit(connection, 'rejected', this.kept.rejected, most.rejected);
    this.#deletions = new RowLimit(connection, 'deletion', this.kept.deletion, most.deletion);
    this.#onDropped = onDropped;
  }

  /** At the start of a transaction, before the current time is written. */
  begin(): void {
    if (this.retryTimes.isSetBack) this.retryTimes.correct();
  }

  /** At the end of a transaction. */
  write(): void {
    this.queue.write();
    for (const { source, destination, count } of this.deadLetterLimit.prune()) {
      this.counts.add(source, destination, 'dropped', count);
    }
    this.#rejected.prune();
    this.#deletions.prune();
    this.nameTable.write();
    this.counts.write();
    this.seen.write();
    this.deadLetters.write();
    this.keptEvents?.write();
  }

  committed(): void {
    const { dropped } = this.deadLetterLimit;
    this.keptEvents?.committed();
    for (const part of [this.nameTable, ...this.#parts]) part.committed();
    for (const { destination, count } of dropped) {
      this.#onDropped(this.nameTable.name(destination), count);
    }
  }

  rolledBack(): void {
    this.keptEvents?.rolledBack();
    for (const part of this.#parts) part.rolledBack();
  }

  get #parts() {
    const { counts, queue, seen, kept, deadLetterLimit, retryTimes } = this;
    const all = [deadLetterLimit, this.#rejected, this.#deletions, retryTimes];
    return [counts, queue, seen, kept.deadLetter, kept.rejected, kept.deletion, ...all];
  }
}
