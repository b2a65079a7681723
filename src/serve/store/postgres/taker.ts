import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { StoredEvent } from '../stored.js';
import { maxBlockEvents, unpackBatch, unpackBlock } from './codec.js';
import { queueOf, type StoreParts } from './context.js';
import { isWaiting, type Unit } from './unit.js';

/** Called for a unit that cannot be read, with how many events wait in it. */
export type OnUnreadable = (
  unit: { readonly kind: Unit['kind']; readonly id: number },
  events: number,
) => void;

interface BlockRow {
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
  readonly #onUnreadable: OnUnreadable;

  constructor(parts: StoreParts, destination: number, onUnreadable: OnUnreadable) {
    this.#parts = parts;
    this.#destination = destination;
    this.#onUnreadable = onUnreadable;
  }

  /**
   * @param early also what is not due yet
   * @throws StoreUnavailable
   */
  async take(kind: Unit['kind'], limit: number, early: boolean): Promise<Unit[]> {
    const { jobs } = this.#parts.shared;
    const queue = queueOf(kind, this.#destination);
    const held = await jobs.fetch<{ block?: number; batch?: number }>(queue, limit, { early });
    if (held.length === 0) return [];
    try {
      const units = kind === 'events' ? await this.#blocks(held) : await this.#batches(held);
      return units.sort((one, other) => one.id - other.id);
    } catch (error) {
      // They are taken again, here or elsewhere.
      await jobs.release(queue, held).catch(() => undefined);
      throw error;
    }
  }

  /** Gives units back; another process can take them at once. A server that is away gives them away by itself. */
  async release(units: readonly Unit[]): Promise<void> {
    for (const kind of ['events', 'retries'] as const) {
      const held = units.filter((unit) => unit.kind === kind).map(({ job }) => job);
      const queue = queueOf(kind, this.#destination);
      await this.#parts.shared.jobs.release(queue, held).catch(() => undefined);
    }
  }

  async #blocks(held: readonly HeldJob<{ block?: number }>[]): Promise<Unit[]> {
    const { shared, names } = this.#parts;
    const rows = await shared.database.query<BlockRow>(
      `SELECT q.block, q.queued_at, q.waiting_count, q.waiting_bits, b.size, b.body
       FROM ${shared.schema}.queued_block q JOIN ${shared.schema}.event_block b ON b.id = q.block
       WHERE q.destination = $1 AND q.block = ANY($2)`,
      [this.#destination, held.map(({ data }) => data.block)],
    );
    const byId = new Map(rows.map((row) => [row.block, row]));
    const read = ({ block, queued_at: queuedAt, waiting_bits, body }: BlockRow): StoredEvent[] =>
      unpackBlock({ id: block, queuedAt, body }, (source) => names.name(source)).filter(({ id }) =>
        isWaiting(waiting_bits, id - block * maxBlockEvents),
      );
    return held.flatMap((job) => {
      const row = byId.get(job.data.block!);
      return this.#unit('events', job, job.data.block!, row && { ...row, read: () => read(row) });
    });
  }

  async #batches(held: readonly HeldJob<{ batch?: number }>[]): Promise<Unit[]> {
    const { database, schema } = this.#parts.shared;
    const rows = await database.query<BatchRow>(
      `SELECT id, size, body FROM ${schema}.retry_batch WHERE id = ANY($1)`,
      [held.map(({ data }) => data.batch)],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return held.flatMap((job) => {
      const row = byId.get(job.data.batch!);
      const found = row && {
        size: row.size,
        waiting_count: row.size,
        read: () => unpackBatch(row.body),
      };
      return this.#unit('retries', job, job.data.batch!, found);
    });
  }

  /** A unit that is gone has no events: its job is removed like that of one that has ended. */
  #unit(
    kind: Unit['kind'],
    job: HeldJob,
    id: number,
    row: { size: number; waiting_count: number; read: () => StoredEvent[] } | undefined,
  ): Unit[] {
    let events: StoredEvent[] = [];
    try {
      events = row?.read() ?? [];
    } catch {
      // It stays in the tables without a job, as it is.
      this.#onUnreadable({ kind, id }, row!.waiting_count);
      return [];
    }
    const all = new Map(events.map((event) => [event.id, event]));
    return [
      {
        ...{ kind, id, job, size: row?.size ?? 0, events: all },
        ...{ pending: new Set(all.keys()), taken: new Set(), ended: [], endedAt: 0 },
      },
    ];
  }
}
