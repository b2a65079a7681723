import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import { takeLock, type Lock } from '../../ledger/lock.js';
import type { Deletion, Intake } from '../types.js';
import { Books, type maxKept } from './books.js';
import { Connection } from './connection.js';
import type { Count } from './counts.js';
import { ExpiryChange, type ExpiryChangeOptions } from './expiry-change.js';
import { EndChange, type EndChangeOptions } from './end-change.js';
import { Finder } from './finder.js';
import { GroupCommit } from './group-commit.js';
import { IntakeChange, type OnRepeated, type OnStored, type Route } from './intake-change.js';
import type { QueueLength } from './queue-lengths.js';
import { RedeliveryChange } from './redelivery-change.js';
import {
  eventOf,
  storedEvent,
  waitingEvent,
  type StoredEvent,
  type WaitingEvent,
} from './stored.js';
import { Views } from './views.js';

export interface ServiceStoreOptions {
  readonly clock?: Clock;
  /** Default: `maxKept`. */
  readonly maxKept?: typeof maxKept;
  /** Told when a commit has failed. What nobody waits for is tried again. */
  readonly onFailure?: (error: unknown) => void;
}

const fileName = 'serve.db';
const lockName = 'serve.lock';

/** The state of a service in one SQLite file: all that it has answered for and not delivered yet. */
export class ServiceStore {
  readonly path: string;
  readonly views: Views;
  readonly finder: Finder;
  readonly #lock: Lock;
  readonly #connection: Connection;
  readonly #books: Books;
  readonly #group: GroupCommit;
  #failure: unknown;
  #isClosed = false;

  private constructor(connection: Connection, lock: Lock, options: ServiceStoreOptions) {
    const clock = options.clock ?? systemClock;
    this.path = connection.path;
    this.#lock = lock;
    this.#connection = connection;
    this.#books = new Books(connection, clock, options.maxKept);
    this.views = new Views(this.#books);
    this.finder = new Finder(this.#books);
    this.#group = new GroupCommit({
      connection,
      clock,
      writeLast: () => this.#books.write(),
      probe: () => connection.probe(),
      onCommit: () => {
        this.#failure = undefined;
        this.#books.committed();
      },
      onFailure: (error) => {
        this.#failure = error;
        this.#books.rolledBack();
        options.onFailure?.(error);
      },
    });
  }

  /**
   * Opens the state in a folder, which is made where it is missing.
   * @throws UsageError when another process has it, or it is damaged or of a newer version;
   * StateError when it cannot be written.
   */
  static async open(folder: string, options: ServiceStoreOptions = {}): Promise<ServiceStore> {
    const lock = takeLock(join(folder, lockName), 'the service of this state');
    try {
      return new ServiceStore(await Connection.open(join(folder, fileName)), lock, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Why the last commit has failed; undefined while all is well. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Resolves when all of an intake is durable; what its source sent before within a day is left out.
   * `onStored` is told of each event before that, `onRepeated` of each one left out.
   * @throws StateError when it cannot be made durable.
   */
  accept(
    intake: Intake,
    routes: readonly Route[],
    onStored: OnStored,
    onRepeated?: OnRepeated,
  ): Promise<void> {
    return this.#waited((resolve, reject) => {
      const told = { onStored, ...(onRepeated && { onRepeated }) };
      const options = { intake, routes, ...told, resolve, reject };
      this.#group.add(new IntakeChange(this.#books, options), true);
    });
  }

  /** The same for a deletion, which goes to these destinations. @throws as `accept` does */
  acceptDeletion(
    deletion: Deletion,
    destinations: readonly string[],
    onStored: OnStored,
  ): Promise<void> {
    return this.#waited((resolve, reject) => {
      const { source, receivedAt } = deletion;
      const intake = { source, receivedAt, accepted: [accepted(deletion)], rejected: [] };
      const routes = [{ destinations, skipped: [] }];
      const change = new IntakeChange(this.#books, { intake, routes, onStored, resolve, reject });
      this.#group.add(
        {
          rows: change.rows + 1,
          write: () => {
            change.write();
            this.#writeDeletion(deletion);
          },
          committed: () => change.committed(),
          failed: (error) => change.failed(error),
        },
        true,
      );
    });
  }

  /** Queues dead letters again. Resolves with how many of them there were. @throws as `accept` does */
  redeliver(ids: readonly number[], onStored: OnStored): Promise<number> {
    return this.#waited((resolve, reject) => {
      const change = new RedeliveryChange(this.#books, { ids, onStored, resolve, reject });
      this.#group.add(change, true);
    });
  }

  /** Records how an event ended at a destination; tried again until it is durable. */
  end(options: EndChangeOptions): void {
    this.#group.add(new EndChange(this.#books, options), false);
  }

  /** Gives up events that have waited too long. Resolves with how many. @throws as `accept` does */
  expire(options: Omit<ExpiryChangeOptions, 'resolve' | 'reject'>): Promise<number> {
    return this.#waited((resolve, reject) => {
      this.#group.add(new ExpiryChange(this.#books, { ...options, resolve, reject }), false);
    });
  }

  /** To be called now and then: where nothing is committed, nobody knows how long events have waited. */
  keepTime(): void {
    const nothing = { rows: 0, write: () => undefined, committed: () => undefined };
    if (this.#books.isMarkDue) this.#group.add(nothing, false);
  }

  /** Events up to this id have waited too long; 0 for none. */
  get expiredId(): number {
    return this.#books.ages.expired;
  }

  /** When the first of those came that were never handed back; milliseconds since 1970. */
  untriedSince(destination: string): number | undefined {
    const row = this.#connection.get(selectUntriedSince, this.#idOf(destination));
    return row && Number(row.received_at);
  }

  /** Events that were never handed back by a destination, in the order of arrival, behind this one. */
  untried(destination: string, afterId: number, limit: number): StoredEvent[] {
    const rows = this.#connection.all(selectUntried, this.#idOf(destination), afterId, limit);
    return rows.map((row) => storedEvent(row, this.#sourceOf(row.source)));
  }

  /** Which events are to be tried again, and when; the next one first. */
  retries(destination: string, limit: number): { readonly id: number; readonly dueAt: number }[] {
    const rows = this.#connection.all(selectRetries, this.#idOf(destination), limit);
    return rows.map(({ event, due_at }) => ({ id: Number(event), dueAt: Number(due_at) }));
  }

  /** One of them. */
  retry(destination: string, id: number): WaitingEvent | undefined {
    const row = this.#connection.get(selectRetry, this.#idOf(destination), id);
    return row && waitingEvent(row, this.#sourceOf(row.source));
  }

  length(destination: string): QueueLength {
    return this.#books.lengths.of(this.#idOf(destination));
  }

  /** Names of all destinations for which events wait, whether they are still configured or not. */
  waitingFor(): string[] {
    return this.#books.lengths.destinations.map((id) => this.#books.parties.name(id));
  }

  counts(): Count[] {
    return this.#books.counts.all();
  }

  /** Makes durable now what was gathered; who waits is told. */
  commit(): void {
    this.#group.commit();
  }

  /** Commits, and lets go of the file. What comes later is refused. */
  close(): void {
    if (this.#isClosed) return;
    this.#group.end();
    this.#isClosed = true;
    try {
      this.#connection.close();
    } finally {
      this.#lock.release();
    }
  }

  #waited<T>(
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> {
    if (this.#isClosed) {
      return Promise.reject(new StateError(`${this.path}: is closed; start the service again`));
    }
    return new Promise(begin);
  }

  #writeDeletion({ source, userId, timestamp, receivedAt }: Deletion): void {
    const id = this.#books.parties.id('source', source.name);
    const sql =
      'INSERT INTO deletion (source, user_id, timestamp, received_at) VALUES (?, ?, ?, ?)';
    this.#connection.run(sql, id, userId, timestamp, receivedAt);
    this.#books.kept.deletion.add(id, 1);
    this.#books.counts.add(id, 0, 'deletion');
    this.#books.pruneLater('deletion');
  }

  #idOf(destination: string): number {
    return this.#books.parties.id('destination', destination);
  }

  #sourceOf(id: unknown): string {
    return this.#books.parties.name(Number(id));
  }
}

function accepted({ source, userId, timestamp }: Deletion): Intake['accepted'][number] {
  const text = `{"type":"delete","userId":${userId},"timestamp":${JSON.stringify(timestamp)}}`;
  const event = eventOf(Buffer.from(text), source.name);
  return { event, stamp: { messageId: randomUUID(), writesMessageId: true } };
}

const selectEvent = 'SELECT d.due_at, d.legs, e.* FROM delivery d JOIN event e ON e.id = d.event';
const selectUntried = `${selectEvent} WHERE d.destination = ? AND d.due_at IS NULL AND d.event > ? ORDER BY d.event LIMIT ?`;
const selectUntriedSince = `SELECT e.received_at FROM delivery d JOIN event e ON e.id = d.event
  WHERE d.destination = ? AND d.due_at IS NULL ORDER BY d.event LIMIT 1`;
const selectRetry = `${selectEvent} WHERE d.destination = ? AND d.event = ? AND d.due_at IS NOT NULL`;
const selectRetries =
  'SELECT event, due_at FROM delivery WHERE destination = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT ?';
