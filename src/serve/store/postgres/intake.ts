import type { Queries, Transaction } from '../../../store/postgres/queries.js';
import type { Accepted, Deletion, IngestBatch, Rejected } from '../../types.js';
import type { NewEvent } from '../event-block.js';
import { seenKey } from '../seen-key.js';
import type { Route } from '../service-store.js';
import { maxBlockEvents, packBlock } from './codec.js';
import { CountChanges, queueOf, storable, type StoreParts } from './context.js';
import { keyWithoutDestination } from './seen.js';

/** What is put in one transaction, all or nothing. */
export interface Put {
  readonly batch: IngestBatch;
  /** One per accepted event. */
  readonly routes: readonly Route[];
  readonly deletion?: { readonly request: Deletion; readonly messageId: string };
}

/** What became of it. */
export interface PutResult {
  /** Events that all their destinations had within a day. */
  readonly repeated: readonly Accepted[];
  /** Names of destinations for which something was queued. */
  readonly queued: ReadonlySet<string>;
}

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

  /** Sends them with their jobs; `ids` for them, or new ones. */
  async write(tx: Transaction, { shared }: StoreParts, ids: readonly number[] = []): Promise<void> {
    if (this.size === 0) return;
    const { schema, jobs, database } = shared;
    const numbers = ids.length < this.size ? await newBlockIds(tx, schema, this.size) : ids;
    const blocks = this.#blocks.map((block, index) => ({ ...block, id: numbers[index]! }));
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
    for (const [destination, of] of blocksOf) {
      const newJobs = of.map((block) => ({ data: { block } }));
      await jobs.insert(tx, queueOf('events', destination), newJobs);
    }
  }
}

async function newBlockIds(tx: Queries, schema: string, count: number): Promise<number[]> {
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

/**
 * Puts batches within a transaction. It asks the server once, which ids are known, and sends the rest together with the
 * commit.
 */
export async function putBatches(
  tx: Transaction,
  parts: StoreParts,
  puts: readonly Put[],
): Promise<PutResult[]> {
  const { shared, seen } = parts;
  const keys = new Set(
    puts.flatMap((put) => put.batch.accepted.flatMap((one, i) => keysOf(parts, put, one, i))),
  );
  // What is nearly always true: there are no repeats.
  const expected = routeAll(parts, puts, keys);
  const [fresh, blockIds] = await Promise.all([
    seen.note(tx, keys, shared.database.now()),
    expected.blocks.size > 0 ? newBlockIds(tx, shared.schema, expected.blocks.size) : [],
  ]);
  const { results, counts, blocks } =
    fresh.size === keys.size ? expected : routeAll(parts, puts, fresh);
  insertRejected(tx, parts, puts, counts);
  insertDeletions(tx, parts, puts, counts);
  counts.write(tx, shared.schema);
  await blocks.write(tx, parts, blockIds);
  return results;
}

/** Where all events go if these keys are the ones that nobody knows. */
function routeAll(
  parts: StoreParts,
  puts: readonly Put[],
  freshKeys: ReadonlySet<string>,
): Routing & { readonly results: PutResult[] } {
  const routing = {
    fresh: new Set(freshKeys),
    counts: new CountChanges(),
    blocks: new NewBlocks(),
  };
  return { ...routing, results: puts.map((put) => route(parts, put, routing)) };
}

interface Routing {
  readonly fresh: Set<string>;
  readonly counts: CountChanges;
  readonly blocks: NewBlocks;
}

function route(parts: StoreParts, put: Put, { fresh, counts, blocks }: Routing): PutResult {
  const { names } = parts;
  const { batch, routes } = put;
  const source = names.find('source', batch.source.name);
  const repeated: Accepted[] = [];
  const queued = new Set<string>();
  const received = batch.accepted.length + batch.rejected.length;
  if (received > 0) counts.add(source, 0, 'received', received);
  batch.accepted.forEach((accepted, i) => {
    const { destinations, skipped } = routes[i]!;
    const missing = destinations.filter((name) => {
      if (!isRecognized(accepted)) return true;
      // Also of the same messageId twice in a group, the first one alone.
      return fresh.delete(
        seenKey(source, names.find('destination', name), accepted.stamp.messageId),
      );
    });
    if (missing.length === 0 && destinations.length > 0) {
      counts.add(source, 0, 'repeated');
      repeated.push(accepted);
      return;
    }
    for (const name of skipped) counts.add(source, names.find('destination', name), 'skipped');
    if (missing.length === 0) {
      if (skipped.length === 0) counts.add(source, 0, 'unforwarded');
      return;
    }
    const { event, stamp } = accepted;
    blocks.add(
      { source, receivedAt: batch.receivedAt, event, stamp },
      missing.map((name) => names.find('destination', name)),
    );
    for (const name of missing) queued.add(name);
  });
  return { repeated, queued };
}

/** A random id that was generated here cannot be repeated. */
function isRecognized({ stamp, derivesId }: Accepted): boolean {
  return !stamp.writesMessageId || derivesId === true;
}

function keysOf(
  { names }: StoreParts,
  { batch, routes }: Put,
  accepted: Accepted,
  i: number,
): string[] {
  if (!isRecognized(accepted)) return [];
  const source = names.find('source', batch.source.name);
  const { messageId } = accepted.stamp;
  const { destinations } = routes[i]!;
  // For `seenAt` alone.
  if (destinations.length === 0) return [keyWithoutDestination(source, messageId)];
  return destinations.map((name) => seenKey(source, names.find('destination', name), messageId));
}

function insertDeletions(
  tx: Transaction,
  { shared, names }: StoreParts,
  puts: readonly Put[],
  counts: CountChanges,
): void {
  for (const { deletion, batch } of puts) {
    if (!deletion) continue;
    const source = names.find('source', batch.source.name);
    const { userId, timestamp, receivedAt } = deletion.request;
    counts.add(source, 0, 'deletion');
    tx.send(
      `INSERT INTO ${shared.schema}.deletion (source, user_id, timestamp, received_at, message_id) VALUES ($1, $2, $3, $4, $5)`,
      [source, storable(userId), storable(timestamp), receivedAt, deletion.messageId],
    );
  }
}

function insertRejected(
  tx: Transaction,
  { shared, names }: StoreParts,
  puts: readonly Put[],
  counts: CountChanges,
): void {
  const rows = puts.flatMap(({ batch }) => {
    const source = names.find('source', batch.source.name);
    return batch.rejected.map((one: Rejected) => ({
      ...one,
      source,
      receivedAt: batch.receivedAt,
    }));
  });
  if (rows.length === 0) return;
  for (const { source, code } of rows) counts.add(source, 0, `rejected:${code}`);
  tx.send(
    `INSERT INTO ${shared.schema}.rejected (source, received_at, code, message, bytes, is_json)
     SELECT * FROM unnest($1::int[], $2::float8[], $3::text[], $4::text[], $5::bytea[], $6::int[])`,
    [
      rows.map(({ source }) => source),
      rows.map(({ receivedAt }) => receivedAt),
      rows.map(({ code }) => code),
      rows.map(({ message }) => storable(message)),
      rows.map(({ bytes }) => bytes),
      rows.map(({ isJson }) => (isJson ? 1 : 0)),
    ],
  );
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i]);
}
