import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../clock.js';
import { StateError } from '../../../errors.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import { GroupWriter } from '../../../store/postgres/group-writer.js';
import { StoreUnavailable } from '../../../store/postgres/unavailable.js';
import type { Deletion, IngestBatch } from '../../types.js';
import type { DeletedUser } from '../deleted-users.js';
import { deletionBatch } from '../deletion-batch.js';
import {
  expiryStart,
  type ExpireOptions,
  type ExpiryPosition,
  type Lane,
  type LaneUser,
  type OnRepeated,
  type OrderedStoreLane,
  type QueueLength,
  type Queued,
  type Route,
  type ServiceStore,
  type SetAside,
  type StoreListener,
} from '../service-store.js';
import { maxStoredRows, maxWaitMs, type OnStored } from '../stored.js';
import { queueOf, type StoreParts } from './context.js';
import { PostgresEndpoints } from './endpoints.js';
import { PostgresFinder } from './finder.js';
import { Instances } from './instances.js';
import { putBatches, type Put, type PutResult } from './intake.js';
import { PostgresKept } from './kept.js';
import { Lanes } from './lanes.js';
import { Maintenance } from './maintenance.js';
import { PostgresReplays, replayQueue } from './replays.js';
import { Names } from './names.js';
import { deletedUserOf, type DeletedUserColumns } from '../records.js';
import { StoreStatistics } from './statistics.js';
import { Seen } from './seen.js';
import { PostgresViews } from './views.js';
import { expireFirst, expireParked } from './expiry.js';
import { requeueDeadLetters } from './redelivery.js';

const refreshMs = 1_000;
const maintainEveryMs = 2_000;
/** Events of one transaction at most, unless one request has more. */
const maxGroupEvents = 512;
/** Deliveries that weigh as much as one event in a group: each has a key of the last day, and may have a job. */
const deliveriesPerWeight = 8;
/** Of the connections of a store (`open.ts`); the others are for lanes and counting. */
const parallelGroups = 3;

export interface PostgresStoreOptions extends StoreListener {
  readonly clock: Clock;
  /** What others have changed was read. */
  readonly onRefresh?: () => void;
}

/** A `ServiceStore` on a PostgreSQL that any number of instances share. */
export class PostgresStore implements ServiceStore {
  readonly name: string;
  readonly views: PostgresViews;
  readonly finder: PostgresFinder;
  readonly endpoints: PostgresEndpoints;
  readonly instances: Instances;
  readonly kept: PostgresKept;
  readonly replays: PostgresReplays;
  readonly parts: StoreParts;
  readonly #shared: SharedStore;
  readonly #options: PostgresStoreOptions;
  readonly #statistics: StoreStatistics;
  readonly #writer: GroupWriter<Pending>;
  readonly #lanes: Lanes;
  readonly #queues = new Set<number>();
  readonly #maintenance: Maintenance;
  #maxDeadLetters = maxStoredRows.deadLetter;
  #maintainedAt = -Infinity;
  #cancel: (() => void) | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** Call `start` before anything else. */
  constructor(shared: SharedStore, options: PostgresStoreOptions) {
    const { database, schema } = shared;
    this.name = shared.name;
    this.#shared = shared;
    this.#options = options;
    const names = new Names(database, schema);
    const seen = new Seen(database, schema);
    this.parts = { shared, names, seen, keep: () => this.kept.settings };
    const ofParts = {
      parts: () => this.parts,
      withStateErrors: <T>(work: () => Promise<T>) => this.#withStateErrors(work),
    };
    this.kept = new PostgresKept({
      ...{ ...ofParts, clock: options.clock },
      onDropped: (events) => options.onKeptDropped?.(events),
    });
    this.replays = new PostgresReplays({
      ...ofParts,
      onQueued: (destination) => this.#lanes.poke([destination]),
    });
    this.#statistics = new StoreStatistics(shared);
    this.#lanes = new Lanes({
      ...{ parts: this.parts, clock: options.clock, statistics: this.#statistics },
      onDefect: (error) => this.#noteError(error),
      onDamaged: (destination, events) => options.onDamaged?.(destination, events),
    });
    this.views = new PostgresViews(this.parts, this.#statistics);
    this.finder = new PostgresFinder(this.parts);
    this.endpoints = new PostgresEndpoints(shared);
    this.instances = new Instances(shared);
    this.#writer = new GroupWriter<Pending>({
      clock: options.clock,
      write: (items) => this.#put(items),
      weightOf,
      maxWeight: maxGroupEvents,
      parallel: parallelGroups,
      isAlone: () => this.instances.all.length < 2,
    });
    this.#maintenance = new Maintenance({
      shared,
      maxDeadLetters: () => this.#maxDeadLetters,
      onDropped: (destination, count) => options.onDropped?.(names.name(destination), count),
    });
  }

  /** Reads what is there. @throws StoreUnavailable */
  async start(): Promise<void> {
    await this.endpoints.start();
    await this.#shared.jobs.createQueue(replayQueue);
    await this.#refresh(true);
    this.#refreshLater();
  }

  get failure(): unknown {
    const { failure } = this.#shared.database;
    return failure && this.#toStateError(failure);
  }

  async accept(
    batch: IngestBatch,
    routes: readonly Route[],
    _onStored: OnStored,
    onRepeated?: OnRepeated,
  ): Promise<void> {
    const { repeated } = await this.#add({ batch, routes });
    for (const accepted of repeated) onRepeated?.(accepted, batch);
  }

  async acceptDeletion(deletion: Deletion, destinations: readonly string[]): Promise<void> {
    const messageId = randomUUID();
    await this.#add({
      batch: deletionBatch(deletion, messageId),
      routes: [{ destinations, skipped: [] }],
      deletion: { request: deletion, messageId },
    });
  }

  async redeliver(ids: readonly number[]): Promise<number> {
    const { database } = this.#shared;
    const { names } = this.parts;
    const requeued = await this.#withStateErrors(() =>
      database.transaction((tx) => requeueDeadLetters(tx, this.parts, ids)),
    );
    this.#lanes.poke(new Set(requeued.map((number) => names.name(number))));
    return requeued.length;
  }

  lane(destination: string, user: LaneUser): Lane {
    return this.#lanes.open(destination, user);
  }

  orderedLane(destination: string, user: LaneUser): OrderedStoreLane {
    return this.#lanes.openOrdered(destination, user);
  }

  async prepare(sources: readonly string[], destinations: readonly string[]): Promise<void> {
    const { names } = this.parts;
    await this.#withStateErrors(async () => {
      await names.ensure('source', sources);
      await names.ensure('destination', destinations);
      await this.#makeQueues(destinations.map((name) => names.find('destination', name)));
    });
  }

  async expire({ destination, onExpired }: ExpireOptions): Promise<ExpiryPosition | undefined> {
    const number = this.parts.names.find('destination', destination);
    const { oldest } = this.#statistics.of(number);
    const before = this.#shared.database.now() - maxWaitMs;
    if (!oldest || oldest.queuedAt > before) return undefined;
    const taker = this.#lanes.takerOf(destination);
    const writer = this.#lanes.writerOf(destination);
    const isMore = await this.#withStateErrors(async () => {
      const isOne = await expireFirst(taker, writer, before, onExpired);
      if (!this.#statistics.hasParked(number)) return isOne;
      return (
        (await expireParked(this.parts, number, {
          clock: this.#options.clock,
          writer,
          before,
          onExpired,
        })) || isOne
      );
    });
    // What has expired is gone, so the next ones are the first.
    return isMore ? expiryStart : undefined;
  }

  async commit(): Promise<void> {
    await this.#lanes.flush();
    await this.#statistics.refresh(this.#options.clock.monotonic(), true).catch(() => undefined);
  }

  knowsDestination(destination: string): boolean {
    return this.parts.names.find('destination', destination) > 0;
  }

  knowsSource(source: string): boolean {
    return this.parts.names.find('source', source) > 0;
  }

  length(destination: string): QueueLength {
    return this.#of(destination).length;
  }

  notAttemptedSince(destination: string): number | undefined {
    return this.#of(destination).notAttemptedSince;
  }

  nextRetryAt(destination: string): number | undefined {
    return this.#of(destination).nextRetryAt;
  }

  oldestWaiting(destination: string): Queued | undefined {
    return this.#of(destination).oldest;
  }

  get oldestTransactionSeconds(): number {
    return this.#statistics.oldestTransactionSeconds;
  }

  waitingFor(): string[] {
    return this.#statistics.destinations.map((number) => this.parts.names.name(number));
  }

  get setAside(): SetAside {
    return this.#statistics.setAside;
  }

  keepDeadLetters(limit: number): void {
    this.#maxDeadLetters = limit;
  }

  async deletedUsers(): Promise<DeletedUser[]> {
    const { database, schema } = this.#shared;
    const rows = await database.query<DeletedUserColumns>(
      `SELECT user_id, received_at FROM ${schema}.deletion ORDER BY id`,
    );
    return rows.map(deletedUserOf);
  }

  async pendingRedactions(): Promise<(DeletedUser & { readonly id: number })[]> {
    const { database, schema } = this.#shared;
    const rows = await database.query<DeletedUserColumns & { readonly id: number }>(
      `SELECT id, user_id, received_at FROM ${schema}.deletion WHERE in_log OR in_kept ORDER BY id LIMIT $1`,
      [maxStoredRows.deletion],
    );
    return rows.map((row) => ({ id: row.id, ...deletedUserOf(row) }));
  }

  async markRedacted(ids: readonly number[]): Promise<void> {
    const { database, schema } = this.#shared;
    await this.#withStateErrors(() =>
      database.query(
        `UPDATE ${schema}.deletion SET in_log = false, in_kept = false WHERE id = ANY($1)`,
        [ids],
      ),
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancel?.();
    await this.#refreshing;
    await this.kept.close();
    await this.#lanes.close();
    await this.instances.leave().catch(() => undefined);
    await this.#shared.close();
  }

  #of(destination: string) {
    return this.#statistics.of(this.parts.names.find('destination', destination));
  }

  /** @throws StateError when it cannot be stored */
  async #add({ batch, routes, deletion }: Put): Promise<PutResult> {
    // Not a spread: it is done for each request.
    const pending: Pending = { batch, routes, deletion, result: undefined };
    await this.#withStateErrors(() => {
      // At once: a server that does not respond would be waited for by each of many clients.
      const { failure } = this.#shared.database;
      if (failure?.kind === 'lost') throw failure;
      return this.#writer.add(pending);
    });
    const result = pending.result!;
    this.#lanes.poke(result.queued);
    return result;
  }

  async #put(items: readonly Pending[]): Promise<void> {
    const { database } = this.#shared;
    await this.#ensureNames(items);
    const results = await database.transaction((tx) => putBatches(tx, this.parts, items), {
      isPrepared: true,
    });
    items.forEach((item, i) => (item.result = results[i]));
  }

  /** Nearly always they are there: the configuration has them. */
  async #ensureNames(items: readonly Put[]): Promise<void> {
    const { names } = this.parts;
    const destinations = new Set<string>();
    for (const { batch, routes } of items) {
      if (names.find('source', batch.source.name) === 0)
        await names.ensure('source', [batch.source.name]);
      for (const route of routes) {
        for (const name of [...route.destinations, ...route.skipped]) {
          if (names.find('destination', name) === 0) destinations.add(name);
        }
      }
    }
    if (destinations.size > 0) await this.prepare([], [...destinations]);
  }

  async #makeQueues(destinations: readonly number[]): Promise<void> {
    for (const number of destinations) {
      if (this.#queues.has(number)) continue;
      await this.#shared.jobs.createQueue(queueOf('events', number));
      await this.#shared.jobs.createQueue(queueOf('retries', number));
      this.#queues.add(number);
    }
  }

  #refreshLater(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(
      refreshMs,
      () => {
        this.#refreshing = this.#refresh(false)
          .catch((error: unknown) => this.#noteError(error))
          .finally(() => this.#refreshLater());
      },
      { keepsAlive: false },
    );
  }

  async #refresh(isWhole: boolean): Promise<void> {
    const { names, seen } = this.parts;
    const now = this.#options.clock.monotonic();
    const errors: unknown[] = [];
    // Counting may take too long: the rest is done all the same.
    for (const step of [
      () => names.refresh(),
      () => this.instances.beat(),
      () => this.endpoints.refresh(),
      () => this.#maintain(now),
      () => seen.refresh(),
      () => this.#statistics.refresh(now, isWhole),
      () => this.#lanes.unpark(),
      () => this.views.refreshRejected(),
    ]) {
      await step().catch((error: unknown) => errors.push(error));
    }
    // Beside the rest: it may take long.
    void this.kept.sweep().catch((error: unknown) => this.#noteError(error));
    this.#lanes.pokeWaiting();
    this.#options.onRefresh?.();
    if (errors.length > 0) throw errors[0];
  }

  async #maintain(now: number): Promise<void> {
    if (now - this.#maintainedAt < maintainEveryMs) return;
    this.#maintainedAt = now;
    await this.#maintenance.run();
  }

  #noteError(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) this.#options.onDefect?.(error);
  }

  async #withStateErrors<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StateError(`${this.name}: is closed; start the service again`);
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#options.onFailure?.(error);
      throw this.#toStateError(error);
    }
  }

  #toStateError(error: unknown): unknown {
    if (!(error instanceof StoreUnavailable)) return error;
    return new StateError(`${error.problem}; waiting for it`, { cause: error });
  }
}

interface Pending extends Put {
  result: PutResult | undefined;
}

/** The weight of a request in its group: 1 for each event, or for each 8 deliveries if that is more. */
function weightOf({ batch, routes }: Put): number {
  let deliveries = 0;
  for (const { destinations } of routes) deliveries += destinations.length;
  return Math.max(1, batch.accepted.length, deliveries / deliveriesPerWeight);
}
