import type { HeldJob } from '../../../store/postgres/jobs.js';
import { unlessDamaged, type StoredEvent } from '../stored.js';
import { placeOf, unpackBatch, unpackBlock } from './codec.js';
import { queueOf, type StoreParts } from './context.js';
import { isWaiting, unitOf, type TakenKind, type Unit } from './unit.js';

/** Called when a unit that cannot be read was set aside, with how many events wait in it. */
export type OnSetAside = (events: number) => void;

/** What is known of a unit, if it is there. */
interface FoundUnit {
  readonly size: number;
  readonly waiting: number;
  /** Those that wait; undefined where they cannot be read. */
  readonly events: readonly StoredEvent[] | undefined;
}

interface QueuedBlockRow {
  readonly block: number;
  readonly queued_at: number;
  readonly waiting_count: number;
  readonly waiting_bits: Buffer | null;
  readonly size: number;
  readonly body: Buffer;
}

interface BatchRow {
  readonly id: number;
  readonly size: number;
  readonly body: Buffer;
}

/** Takes units of one destination, by its number. */
export class Taker {
  readonly #parts: StoreParts;
  readonly #destination: number;
  readonly #onSetAside: OnSetAside;

  constructor(parts: StoreParts, destination: number, onSetAside: OnSetAside) {
    this.#parts = parts;
    this.#destination = destination;
    this.#onSetAside = onSetAside;
  }

  /**
   * @param early also what is not due yet
   * @throws StoreUnavailable
   */
  async take(kind: TakenKind, limit: number, early: boolean): Promise<Unit[]> {
    const { jobs } = this.#parts.shared;
    const queue = queueOf(kind, this.#destination);
    const held = await jobs.fetch<{ block?: number; batch?: number }>(queue, limit, {
      // A new event is due at once, also by a clock that was set back since.
      early: early || kind === 'events',
    });
    if (held.length === 0) return [];
    try {
      return await this.#units(kind, held);
    } catch (error) {
      // They are taken again, here or elsewhere.
      await jobs.release(queue, held).catch(() => undefined);
      throw error;
    }
  }

  /** Lets other processes take these units at once. If the server is away, their jobs expire there by themselves. */
  async release(units: readonly Unit[]): Promise<void> {
    for (const kind of ['events', 'retries'] as const) {
      const held = units.filter((unit) => unit.kind === kind).map(({ job }) => job);
      const queue = queueOf(kind, this.#destination);
      await this.#parts.shared.jobs.release(queue, held).catch(() => undefined);
    }
  }

  async #units(
    kind: TakenKind,
    held: readonly HeldJob<{ block?: number; batch?: number }>[],
  ): Promise<Unit[]> {
    const idOf = ({ data }: (typeof held)[number]): number => (data.block ?? data.batch)!;
    const ids = held.map(idOf);
    const found = kind === 'events' ? await this.#blocks(ids) : await this.#batches(ids);
    const damaged = held.filter((job) => {
      const unit = found.get(idOf(job));
      return unit !== undefined && unit.events === undefined;
    });
    if (damaged.length > 0) await this.#setAside(kind, damaged, damaged.map(idOf), found);
    return held
      .filter((job) => !damaged.includes(job))
      .map((job) => {
        // One that is gone has no events: its job is removed like that of one that has ended.
        const { size, events = [] } = found.get(idOf(job)) ?? { size: 0 };
        return unitOf({ kind, id: idOf(job), job, size }, events);
      })
      .sort((one, other) => one.id - other.id);
  }

  async #blocks(ids: readonly number[]): Promise<Map<number, FoundUnit>> {
    const { shared, names } = this.#parts;
    const rows = await shared.database.query<QueuedBlockRow>(
      `SELECT q.block, q.queued_at, q.waiting_count, q.waiting_bits, b.size, b.body
       FROM ${shared.schema}.queued_block q JOIN ${shared.schema}.event_block b ON b.id = q.block
       WHERE q.destination = $1 AND q.block = ANY($2)`,
      [this.#destination, ids],
    );
    const found = rows.map((row) => this.#read(row));
    // An instance with a newer configuration may have added a source.
    if (found.some(({ events }) => events?.some(({ source }) => source === ''))) {
      await names.refresh();
      return new Map(rows.map((row) => [row.block, this.#read(row)]));
    }
    return new Map(rows.map(({ block }, index) => [block, found[index]!]));
  }

  #read({ block, queued_at, waiting_count, waiting_bits, size, body }: QueuedBlockRow): FoundUnit {
    const { names } = this.#parts;
    const events = unlessDamaged(() =>
      unpackBlock({ id: block, queuedAt: queued_at, body }, (source) => names.name(source)).filter(
        ({ id }) => isWaiting(waiting_bits, placeOf(id)),
      ),
    );
    return { size, waiting: waiting_count, events };
  }

  async #batches(ids: readonly number[]): Promise<Map<number, FoundUnit>> {
    const { database, schema } = this.#parts.shared;
    const rows = await database.query<BatchRow>(
      `SELECT id, size, body FROM ${schema}.retry_batch WHERE id = ANY($1)`,
      [ids],
    );
    const read = ({ size, body }: BatchRow): FoundUnit => ({
      ...{ size, waiting: size, events: unlessDamaged(() => unpackBatch(body)) },
    });
    return new Map(rows.map((row) => [row.id, read(row)]));
  }

  /**
   * Sets a unit aside that cannot be read, so that the rest can be taken: it stays in its table with the negative number
   * of its destination, which no queue has.
   */
  async #setAside(
    kind: TakenKind,
    jobs: readonly HeldJob[],
    ids: readonly number[],
    found: ReadonlyMap<number, FoundUnit>,
  ): Promise<void> {
    const { shared } = this.#parts;
    const [table, column] = kind === 'events' ? ['queued_block', 'block'] : ['retry_batch', 'id'];
    const ours = await shared.database.transaction(async (tx) => {
      const removed = await shared.jobs.remove(tx, queueOf(kind, this.#destination), jobs);
      const removedIds = ids.filter((_, index) => removed.includes(jobs[index]!));
      await tx.query(
        `UPDATE ${shared.schema}.${table} SET destination = -destination
         WHERE destination = $1 AND ${column} = ANY($2)`,
        [this.#destination, removedIds],
      );
      // No later event of a user waits for one that cannot be read.
      if (kind === 'retries')
        await tx.query(
          `DELETE FROM ${shared.schema}.user_event WHERE destination = $1 AND batch = ANY($2)`,
          [this.#destination, removedIds],
        );
      return removedIds;
    });
    for (const id of ours) this.#onSetAside(found.get(id)!.waiting);
  }
}
