import type { Queries, Transaction } from '../../../store/postgres/queries.js';
import type { NewEvent } from '../event-block.js';
import { maxBlockEvents, packBlock } from './codec.js';
import { queueOf, type StoreParts } from './context.js';

/** Larger blocks save little more. An event that is larger has a block of its own. */
const maxBlockBytes = 64 * 1024;

/** Blocks that are formed in a transaction. The events of a block wait for the same destinations. */
export class NewBlocks {
  readonly #blocks: {
    readonly destinations: readonly number[];
    readonly events: NewEvent[];
    bytes: number;
  }[] = [];

  add(event: NewEvent, destinations: readonly number[]): void {
    const { length } = event.event.bytes;
    const open = this.#blocks.findLast((block) => isSame(block.destinations, destinations));
    if (open && open.events.length < maxBlockEvents && open.bytes + length <= maxBlockBytes) {
      open.events.push(event);
      open.bytes += length;
    } else this.#blocks.push({ destinations, events: [event], bytes: length });
  }

  get size(): number {
    return this.#blocks.length;
  }

  /** Sends them with their jobs. `ids` are taken already; where they are too few, new ones are, which leaves gaps. */
  async write(tx: Transaction, { shared }: StoreParts, ids: readonly number[] = []): Promise<void> {
    if (this.size === 0) return;
    const { schema, jobs, database } = shared;
    const blockIds = ids.length < this.size ? await newBlockIds(tx, schema, this.size) : ids;
    const blocks = this.#blocks.map((block, index) => ({ ...block, id: blockIds[index]! }));
    const queued = blocks.flatMap(({ id, destinations, events }) =>
      destinations.map((destination) => ({ id, destination, size: events.length })),
    );
    tx.send(insertBlocks(schema), [
      database.now(),
      blocks.map(({ id }) => id),
      blocks.map(({ events }) => events.length),
      blocks.map(({ destinations }) => destinations.length),
      blocks.map(({ events }) => packBlock(events)),
      queued.map(({ destination }) => destination),
      queued.map(({ id }) => id),
      queued.map(({ size }) => size),
    ]);
    const blocksOf = new Map<number, number[]>();
    for (const { id, destination } of queued) {
      blocksOf.set(destination, [...(blocksOf.get(destination) ?? []), id]);
    }
    for (const [destination, ofDestination] of blocksOf) {
      const newJobs = ofDestination.map((block) => ({ data: { block } }));
      await jobs.insert(tx, queueOf('events', destination), newJobs);
    }
  }
}

/** From the sequence; a rollback does not give them back. */
export async function newBlockIds(tx: Queries, schema: string, count: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `SELECT nextval('${schema}.block_id') AS id FROM generate_series(1, $1)`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/** $1 time; blocks: $2 ids, $3 sizes, $4 numbers of destinations, $5 bodies; queued: $6 destinations, $7 ids, $8 sizes. */
function insertBlocks(schema: string): string {
  return `WITH blocks AS (
      INSERT INTO ${schema}.event_block (id, queued_at, size, destinations, body)
      SELECT id, $1::float8, size, destinations, body
      FROM unnest($2::bigint[], $3::int[], $4::int[], $5::bytea[]) AS g (id, size, destinations, body)
    )
    INSERT INTO ${schema}.queued_block (destination, block, queued_at, waiting_count)
    SELECT destination, block, $1::float8, size
    FROM unnest($6::int[], $7::bigint[], $8::int[]) AS q (destination, block, size)`;
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i]);
}
