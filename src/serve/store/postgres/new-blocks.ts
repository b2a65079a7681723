import { haveSameItems } from '../../../collections/same-items.js';
import type { Queries, Transaction } from '../../../store/postgres/queries.js';
import type { NewEvent } from '../event-block.js';
import { keptBytes, usersOf } from './kept-blocks.js';
import { maxBlockEvents, packBlock } from './codec.js';
import { queueOf, type StoreParts } from './context.js';

/** Larger blocks save little more. An event that is larger has a block of its own. */
const maxBlockBytes = 64 * 1024;

interface OpenBlock {
  readonly destinations: readonly number[];
  readonly keptMs: number;
  readonly events: NewEvent[];
  bytes: number;
}

interface PackedBlock extends OpenBlock {
  readonly body: Buffer;
  /** Of a block that is kept. */
  readonly users: Buffer | null;
}

/** Blocks that are formed in a transaction. The events of a block wait for the same destinations, and are kept as long. */
export class NewBlocks {
  readonly #blocks: OpenBlock[] = [];
  #packed: readonly PackedBlock[] | undefined;

  /** @param keptMs how long it is kept, delivered or not; 0: not */
  add(event: NewEvent, destinations: readonly number[], keptMs = 0): void {
    const { length } = event.event.bytes;
    const open = this.#blocks.findLast(
      (block) => block.keptMs === keptMs && haveSameItems(block.destinations, destinations),
    );
    if (open && open.events.length < maxBlockEvents && open.bytes + length <= maxBlockBytes) {
      open.events.push(event);
      open.bytes += length;
    } else this.#blocks.push({ destinations, keptMs, events: [event], bytes: length });
  }

  get size(): number {
    return this.#blocks.length;
  }

  /** Compresses them, once: nothing may be added anymore. To be called while there is something to wait for. */
  pack(): readonly PackedBlock[] {
    this.#packed ??= this.#blocks.map((block) => ({
      destinations: block.destinations,
      keptMs: block.keptMs,
      events: block.events,
      bytes: block.bytes,
      body: packBlock(block.events),
      users: block.keptMs > 0 ? usersOf(block.events) : null,
    }));
    return this.#packed;
  }

  /**
   * Sends them with their jobs. `ids` are taken already; where they are too few, new ones are, which leaves gaps. Resolves
   * to how many bytes those that are kept take.
   */
  async write(
    tx: Transaction,
    { shared }: StoreParts,
    ids: readonly number[] = [],
  ): Promise<number> {
    if (this.size === 0) return 0;
    const { schema, jobs, database } = shared;
    const blockIds = ids.length < this.size ? await newBlockIds(tx, schema, this.size) : ids;
    const blocks = this.pack().map((block, index) => ({ ...block, id: blockIds[index]! }));
    const queued = blocks.flatMap(({ id, destinations, events }) =>
      destinations.map((destination) => ({ id, destination, size: events.length })),
    );
    tx.send(insertBlocks(schema), [
      database.now(),
      blocks.map(({ id }) => id),
      blocks.map(({ events }) => events.length),
      blocks.map(({ destinations }) => destinations.length),
      blocks.map(({ body }) => body),
      queued.map(({ destination }) => destination),
      queued.map(({ id }) => id),
      queued.map(({ size }) => size),
      blocks.map(({ keptMs }) => (keptMs > 0 ? keptMs : null)),
      blocks.map(({ keptMs, destinations }) => (keptMs > 0 ? `{${destinations.join()}}` : null)),
      blocks.map(({ users }) => users),
    ]);
    const blocksOf = new Map<number, number[]>();
    for (const { id, destination } of queued) {
      blocksOf.set(destination, [...(blocksOf.get(destination) ?? []), id]);
    }
    for (const [destination, ofDestination] of blocksOf) {
      const newJobs = ofDestination.map((block) => ({ data: { block } }));
      await jobs.insert(tx, queueOf('events', destination), newJobs);
    }
    return blocks.reduce((sum, { body, users }) => sum + (users ? keptBytes(body, users) : 0), 0);
  }
}

/** From the sequence; ids of a transaction that is rolled back are not used again. */
export async function newBlockIds(tx: Queries, schema: string, count: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `SELECT nextval('${schema}.block_id') AS id FROM unnest($1::int[])`,
    [numbersTo(count)],
  );
  return rows.map(({ id }) => id);
}

/**
 * 1 to `count`, of which `unnest` makes a row each. `generate_series(1, $1)` would be planned for each request: how many
 * rows are expected of it depends on $1.
 */
export function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/**
 * $1 time; blocks: $2 ids, $3 sizes, $4 numbers of destinations, $5 bodies; queued: $6 destinations, $7 ids, $8 sizes; of
 * kept blocks: $9 retentions, $10 destinations, $11 users.
 */
function insertBlocks(schema: string): string {
  return `WITH blocks AS (
      INSERT INTO ${schema}.event_block (id, queued_at, size, destinations, body, kept_ms, kept_for, users)
      SELECT id, $1::float8, size, destinations, body, kept_ms, kept_for::int[], users
      FROM unnest($2::bigint[], $3::int[], $4::int[], $5::bytea[], $9::float8[], $10::text[], $11::bytea[])
        AS g (id, size, destinations, body, kept_ms, kept_for, users)
    )
    INSERT INTO ${schema}.queued_block (destination, block, queued_at, waiting_count)
    SELECT destination, block, $1::float8, size
    FROM unnest($6::int[], $7::bigint[], $8::int[]) AS q (destination, block, size)`;
}
