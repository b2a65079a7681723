import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../clock.js';
import { StateError } from '../../../errors.js';
import { GroupCommit, type Change } from '../../../storage/group-commit.js';
import { DiskReserve } from '../../../storage/disk-reserve.js';
import { countOf } from '../../../output/numbers.js';
import { acquireLock, isHeld, type Lock } from '../../../storage/lock.js';
import { isDiskFull } from '../../../storage/state-errors.js';
import { StateFile } from '../../../storage/state-file.js';
import type { FreeBytes } from '../../kept/free-bytes.js';
import { KeptFiles } from '../../kept/kept-files.js';
import { makeRoomForStart } from '../../kept/make-room.js';
import { keptFolder } from '../../kept/reader.js';
import type { Deletion, IngestBatch } from '../../types.js';
import { StoreContext } from './store-context.js';
import type { Count } from './counts.js';
import { EndChange, type EndChangeOptions } from './end-change.js';
import { ExpiryChange } from './expiry-change.js';
import { SqliteFinder } from './finder.js';
import type { DeletedUser } from '../deleted-users.js';
import { deletionBatch } from '../deletion-batch.js';
import { deletedUserOf } from '../records.js';
import { IngestChange } from './ingest-change.js';
import { RedeliveryChange } from './redelivery-change.js';
import { ReloadedEvent } from '../reloaded-event.js';
import { stateOfService } from './schema.js';
import { isOverwriteDue, overwriteFreedPages } from './freed-pages.js';
import {
  eventOf,
  type maxStoredRows,
  type OnStored,
  type RetryEvent,
  type StoredEvent,
} from '../stored.js';
import { SqliteReplays } from './replays.js';
import { SqliteViews } from './views.js';
import type {
  ExpireOptions,
  ExpiryPosition,
  Lane,
  LaneUser,
  OnRepeated,
  OrderedStoreLane,
  Queued,
  QueueLength,
  Route,
  ServiceStore,
  SetAside,
  StoreListener,
} from '../service-store.js';
import { SqliteBacklog } from './backlog.js';
import { DueRetries } from './due-retries.js';
import { SqliteUserOrder } from './sqlite-user-order.js';
import { withoutOrder } from './unparked.js';

export interface SqliteStoreOptions extends StoreListener {
  readonly clock?: Clock;
  /** Default: `maxStoredRows`. */
  readonly maxRows?: typeof maxStoredRows;
  /** Of the disk with kept events. */
  readonly freeBytes?: FreeBytes;
}

/** What a store keeps on the disk. */
export interface ServiceDisk {
  /** Opened for `stateOfService`. */
  readonly file: StateFile;
  readonly reserve: Pick<DiskReserve, 'hold' | 'release'>;
  /** Released when the store is closed. Default: nothing is locked. */
  readonly lock?: Lock;
  /** Default: nothing is kept. */
  readonly kept?: KeptFiles;
}

const fileName = 'serve.db';
const lockName = 'serve.lock';
const reserveName = 'serve.reserve';
/** How long after a failure the reserve is tried again. */
const reserveAgainMs = 1_000;

/** The state of a service in one SQLite file: all events that it has accepted and not delivered yet. */
export class SqliteStore implements ServiceStore {
  readonly name: string;
  readonly views: SqliteViews;
  readonly finder: SqliteFinder;
  readonly kept?: KeptFiles;
  readonly replays: SqliteReplays;
  readonly #lock: Lock | undefined;
  readonly #connection: StateFile;
  readonly #context: StoreContext;
  readonly #group: GroupCommit;
  readonly #reserve: ServiceDisk['reserve'];
  readonly #clock: Clock;
  #failure: unknown;
  #cancelReserve: (() => void) | undefined;
  #isErasing = false;
  /** By the monotonic clock. */
  #erasedAt = -Infinity;
  #isClosed = false;

  /** @throws as `open` does */
  constructor(disk: ServiceDisk, options: SqliteStoreOptions = {}) {
    const { file: connection, reserve, lock, kept } = disk;
    const clock = (this.#clock = options.clock ?? systemClock);
    reserve.hold();
    this.#reserve = reserve;
    this.name = connection.path;
    this.#lock = lock;
    if (kept) {
      this.kept = kept;
      kept.onDeleted = () => this.#eraseRests();
    }
    this.#connection = connection;
    const { onDefect = () => undefined } = options;
    const { onDropped = () => undefined, onDamaged = () => undefined, maxRows } = options;
    this.#context = new StoreContext(connection, {
      ...{ clock, onDropped, onDamaged, maxRows },
      keptEvents: kept,
    });
    this.#context.queue.damaged.onFound = () => this.#group.add(nothing, false);
    connection.exec('PRAGMA secure_delete = FAST');
    // An earlier process was ended meanwhile: the pages that it held are free again only then.
    if (connection.get('SELECT 1 FROM scrub LIMIT 1')) this.#eraseRests();
    connection.transaction(() => this.#context.retryTimes.correctAtStart());
    this.replays = new SqliteReplays(this.#context, (change) =>
      this.#unlessClosed((resolve, reject) => {
        const durable = (): void => {
          resolve();
          change.durable?.();
        };
        const write = (): void => change.write();
        this.#group.add({ rows: change.rows, write, durable, failed: reject }, false);
      }),
    );
    this.views = new SqliteViews(this.#context, this);
    this.finder = new SqliteFinder(this.#context);
    this.#group = new GroupCommit({
      file: connection,
      clock,
      writeFirst: () => this.#context.begin(),
      writeLast: () => this.#context.write(),
      onCommit: () => {
        this.#context.committed();
        this.#pruneDeadLetters();
      },
      // Not after each commit: it would take the space that changes which are left over need.
      onAllWritten: () => this.#holdReserve(),
      onDefect,
      onFailure: (error) => {
        this.#failure = error;
        this.#reserve.release();
        // After a failed flush it has nothing to undo.
        this.#context.rolledBack();
        options.onFailure?.(error);
      },
    });
  }

  /**
   * Opens the state in a folder, which is created when missing.
   * @throws UsageError when another process has locked it, or it is damaged or of another version;
   * StateError when it cannot be written.
   */
  static async open(folder: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
    const { clock = systemClock, onKeptDropped, onKeepFailure, freeBytes } = options;
    const keptPath = join(folder, keptFolder);
    const makeRoom = (): void => {
      const dropped = makeRoomForStart(keptPath, freeBytes);
      if (dropped > 0) onKeptDropped?.(dropped);
    };
    const lock = lockFolder(folder, makeRoom);
    try {
      makeRoom();
      const file = await StateFile.open(join(folder, fileName), stateOfService);
      const reserve = new DiskReserve(join(folder, reserveName));
      const kept = KeptFiles.open({
        ...{ folder: keptPath, clock, freeBytes },
        onDropped: (count) => onKeptDropped?.(count),
        onFailure: (error) => onKeepFailure?.(error),
      });
      return new SqliteStore({ file, reserve, lock, kept }, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Also where no space can be reserved after a failed commit. */
  get failure(): unknown {
    return this.#failure;
  }

  /** `onStored` and `onRepeated` are called after the promise is resolved. */
  accept(
    batch: IngestBatch,
    routes: readonly Route[],
    onStored: OnStored,
    onRepeated?: OnRepeated,
  ): Promise<void> {
    return this.#unlessClosed((resolve, reject) => {
      const callbacks = { onStored, ...(onRepeated && { onRepeated }) };
      const options = { batch, routes, ...callbacks, resolve, reject };
      this.#group.add(new IngestChange(this.#context, options), true);
    });
  }

  acceptDeletion(
    deletion: Deletion,
    destinations: readonly string[],
    onStored: OnStored,
  ): Promise<void> {
    return this.#unlessClosed((resolve, reject) => {
      const messageId = randomUUID();
      const batch = deletionBatch(deletion, messageId);
      const routes = [{ destinations, skipped: [] }];
      const change = new IngestChange(this.#context, {
        batch,
        routes,
        onStored,
        resolve,
        reject,
      });
      this.#group.add(
        {
          rows: change.rows + 1,
          write: () => {
            change.write();
            this.#writeDeletion(deletion, messageId);
          },
          durable: () => change.durable(),
          failed: (error) => change.failed(error),
        },
        true,
      );
    });
  }

  redeliver(ids: readonly number[], onStored: OnStored): Promise<number> {
    return this.#unlessClosed((resolve, reject) => {
      const change = new RedeliveryChange(this.#context, { ids, onStored, resolve, reject });
      this.#group.add(change, true);
    });
  }

  /** Names get their numbers when they are used. */
  prepare(): void {
    return;
  }

  lane(destination: string, user: LaneUser): Lane {
    return withoutOrder(this.#laneOf(destination, user), this.#context.queue, () =>
      this.#idOf(destination),
    );
  }

  orderedLane(destination: string, user: LaneUser): OrderedStoreLane {
    const lane = this.#laneOf(destination, user);
    // No other process has the file.
    return Object.assign(lane, { order: this.#orderOf(destination), restart: () => undefined });
  }

  #orderOf(destination: string): SqliteUserOrder {
    return new SqliteUserOrder(this.#context, this.#group, destination);
  }

  #laneOf(destination: string, { share }: LaneUser): Lane {
    const backlog = new SqliteBacklog(this, destination, share);
    const retries = new DueRetries(this, this.#clock, destination);
    return {
      ...{ backlog, retries, unloadable: (event) => this.reloaded(event) },
      end: (options) => this.end({ ...options, destination }),
      get loadedUpTo() {
        return backlog.lastId;
      },
      // What is in memory is in the file, too.
      close: () => undefined,
    };
  }

  /** Records how an event ended at a destination; retried until it is durable. */
  end(options: EndChangeOptions): void {
    this.#group.add(new EndChange(this.#context, options), false);
  }

  expire(options: ExpireOptions): Promise<ExpiryPosition | undefined> {
    return this.#unlessClosed((resolve, reject) => {
      this.#group.add(new ExpiryChange(this.#context, { ...options, resolve, reject }), false);
    });
  }

  keepDeadLetters(limit: number): void {
    this.#context.deadLetterLimit.keep(limit);
    this.#pruneDeadLetters();
  }

  knowsDestination(destination: string): boolean {
    return this.#context.nameTable.find('destination', destination) > 0;
  }

  knowsSource(source: string): boolean {
    return this.#context.nameTable.find('source', source) > 0;
  }

  notAttemptedSince(destination: string): number | undefined {
    return this.#context.queue.oldestNotAttempted(this.#idOf(destination))?.queuedAt;
  }

  nextRetryAt(destination: string): number | undefined {
    return this.retries(destination, 1)[0]?.dueAt;
  }

  oldestWaiting(destination: string): Queued | undefined {
    return this.#context.queue.oldest(this.#idOf(destination));
  }

  /**
   * Events without an attempt at a destination after this one, in the order of arrival: at most `limit`, and none
   * after those that take `maxBytes` of memory (default: no limit in bytes).
   */
  notAttempted(
    destination: string,
    afterId: number,
    limit: number,
    maxBytes?: number,
  ): StoredEvent[] {
    return this.#context.queue.notAttempted(this.#idOf(destination), afterId, limit, maxBytes);
  }

  /**
   * The retries of a destination and when they are due; the next one first. When the clock was set
   * back, their times are corrected before.
   */
  retries(destination: string, limit: number): { readonly id: number; readonly dueAt: number }[] {
    // Pending changes with times of the old clock are committed and corrected with the others. A
    // failed commit is retried by itself.
    if (this.#context.retryTimes.isSetBack && this.#failure === undefined) {
      this.#group.add(nothing, false);
      this.#group.commit();
    }
    const rows = this.#connection.all(selectRetries, this.#idOf(destination), limit);
    return rows.map(({ event, due_at }) => ({ id: Number(event), dueAt: Number(due_at) }));
  }

  /** One retry with its event; undefined if it has ended, or cannot be read. */
  retry(destination: string, id: number): RetryEvent | undefined {
    return this.#context.queue.retry(this.#idOf(destination), id);
  }

  /** The same event; while it waits for any destination, its text can be dropped from memory and is read again. */
  reloaded({ id, source, event }: StoredEvent): ReloadedEvent {
    return new ReloadedEvent(event, () => eventOf(this.#context.queue.text(id), source));
  }

  length(destination: string): QueueLength {
    return this.#context.queue.lengths.of(this.#idOf(destination));
  }

  get setAside(): SetAside {
    return this.#context.queue.damaged.setAside;
  }

  waitingFor(): string[] {
    return this.#context.queue.lengths.destinations.map((id) => this.#context.nameTable.name(id));
  }

  deletedUsers(): DeletedUser[] {
    return this.#connection
      .all('SELECT user_id, received_at FROM deletion ORDER BY id')
      .map(deletedUserOf);
  }

  pendingRedactions(): (DeletedUser & { readonly id: number })[] {
    const sql = 'SELECT id, user_id, received_at FROM deletion WHERE in_log = 1 ORDER BY id';
    return this.#connection.all(sql).map((row) => ({ id: Number(row.id), ...deletedUserOf(row) }));
  }

  markRedacted(ids: readonly number[]): Promise<void> {
    const sql = 'UPDATE deletion SET in_log = 0 WHERE id = ?';
    return this.#unlessClosed((resolve, reject) => {
      const write = (): void => ids.forEach((id) => this.#connection.run(sql, id));
      this.#group.add({ rows: ids.length, write, durable: resolve, failed: reject }, false);
    });
  }

  async eraseFreed(mayContinue: () => boolean): Promise<boolean> {
    return overwriteFreedPages(this.#connection, mayContinue);
  }

  /**
   * What cannot be written now is overwritten when the next files are deleted. One at a time: a second one would undo
   * what the first has done.
   */
  #eraseRests(): void {
    const now = this.#clock.monotonic();
    if (this.#isErasing || !isOverwriteDue(this.#connection, now - this.#erasedAt)) return;
    this.#isErasing = true;
    void this.eraseFreed(() => !this.#isClosed)
      .then((isDone) => {
        if (isDone) this.#erasedAt = now;
      })
      .catch(() => undefined)
      .finally(() => (this.#isErasing = false));
  }

  counts(): Count[] {
    return this.#context.counts.all();
  }

  /** Commits pending changes now and resolves their promises. */
  commit(): void {
    this.#group.commit();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#group.end();
    this.#closeFile();
    const { unwrittenRows } = this.#group;
    if (unwrittenRows === 0) return;
    const what = countOf(unwrittenRows, 'outcome was', 'outcomes were');
    const why = this.#failure instanceof Error ? this.#failure.message : this.name;
    throw new StateError(
      `${why}; ${what} not recorded, and the next start may send these events again`,
      { cause: this.#failure },
    );
  }

  #closeFile(): void {
    this.#isClosed = true;
    this.#cancelReserve?.();
    try {
      this.kept?.close();
      this.#connection.close();
    } finally {
      this.#lock?.release();
    }
  }

  /** Deletes surplus dead letters in separate transactions, until none are left. */
  #pruneDeadLetters(): void {
    if (this.#context.deadLetterLimit.isOver) this.#group.add(nothing, false);
  }

  #holdReserve(): void {
    try {
      this.#reserve.hold();
      this.#failure = undefined;
    } catch (error) {
      if (isDiskFull((error as Error).cause) && this.kept?.makeRoom()) {
        this.#holdReserve();
        return;
      }
      this.#failure = error;
      this.#cancelReserve?.();
      const again = (): void => this.#holdReserve();
      this.#cancelReserve = this.#clock.after(reserveAgainMs, again, { keepsAlive: false });
    }
  }

  #unlessClosed<T>(
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> {
    if (this.#isClosed) {
      return Promise.reject(new StateError(`${this.name}: is closed; start the service again`));
    }
    return new Promise(begin);
  }

  #writeDeletion({ source, userId, timestamp, receivedAt }: Deletion, messageId: string): void {
    const id = this.#context.nameTable.id('source', source.name);
    const sql =
      'INSERT INTO deletion (source, user_id, timestamp, received_at, message_id) VALUES (?, ?, ?, ?, ?)';
    this.#connection.run(sql, id, userId, timestamp, receivedAt, messageId);
    this.#context.kept.deletion.add(id, 1);
    this.#context.counts.add(id, 0, 'deletion');
  }

  #idOf(destination: string): number {
    return this.#context.nameTable.id('destination', destination);
  }
}

/** `makeRoom` is called where the disk is too full for the file of the lock. */
function lockFolder(folder: string, makeRoom: () => void): Lock {
  const path = join(folder, lockName);
  const { full } = stateOfService.advice;
  const acquire = (): Lock =>
    acquireLock(path, `a service with the state in ${folder}`, {
      inUse: 'use another --state-dir, or stop it',
      full,
      notWritten:
        'make it writable, choose another place with --state-dir, or use a store (--store, EVFWD_STORE)',
    });
  try {
    return acquire();
  } catch (error) {
    if (!isDiskFull((error as Error).cause) || isHeld(path)) throw error;
    makeRoom();
    return acquire();
  }
}

/** Triggers a transaction that only has the store's own writes. */
const nothing: Change = { rows: 0, write: () => undefined };

const selectRetries =
  'SELECT event, due_at FROM retry WHERE destination = ? ORDER BY due_at LIMIT ?';
