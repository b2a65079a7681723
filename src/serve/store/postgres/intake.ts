import type { Queries } from '../../../store/postgres/queries.js';
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

  /** Writes them with their jobs. */
  async write(tx: Queries, { shared }: StoreParts): Promise<void> {
    if (this.#blocks.length === 0) return;
    const { schema, jobs, database } = shared;
    const rows = this.#blocks.map(({ events, destinations }) => ({
      size: events.length,
      destinations: destinations.length,
      body: packBlock(events),
    }));
    const ids = await tx.query<{ id: number }>(insertBlocks(schema), [
      database.now(),
      rows.map(({ size }) => size),
      rows.map(({ destinations }) => destinations),
      rows.map(({ body }) => body),
      ...this.#queued(),
    ]);
    const blocksOf = new Map<number, number[]>();
    this.#blocks.forEach(({ destinations }, index) => {
      for (const one of destinations) {
        const blocks = blocksOf.get(one);
        if (blocks) blocks.push(ids[index]!.id);
        else blocksOf.set(one, [ids[index]!.id]);
      }
    });
    const inserted = [...blocksOf].map(([destination, blocks]) => {
      const newJobs = blocks.map((block) => ({ data: { block } }));
      return jobs.insert(tx, queueOf('events', destination), newJobs);
    });
    await Promise.all(inserted);
  }

  /** Index of the block (from 1) and destination of each queued block. */
  #queued(): [blocks: number[], destinations: number[]] {
    const pairs = this.#blocks.flatMap(({ destinations }, index) =>
      destinations.map((destination) => [index + 1, destination] as const),
    );
    return [pairs.map(([block]) => block), pairs.map(([, destination]) => destination)];
  }
}

/** $1 time, $2 sizes, $3 numbers of destinations, $4 bodies; $5 and $6 the queued blocks. Returns the ids in order. */
function insertBlocks(schema: string): string {
  return `WITH given AS (
      SELECT n, nextval('${schema}.block_id') AS id, size, destinations, body
      FROM unnest($2::int[], $3::int[], $4::bytea[]) WITH ORDINALITY AS g (size, destinations, body, n)
    ), blocks AS (
      INSERT INTO ${schema}.event_block (id, queued_at, size, destinations, body)
      SELECT id, $1::float8, size, destinations, body FROM given
    ), queued AS (
      INSERT INTO ${schema}.queued_block (destination, block, queued_at, waiting_count)
      SELECT q.destination, g.id, $1::float8, g.size
      FROM unnest($5::int[], $6::int[]) AS q (n, destination) JOIN given g ON g.n = q.n
    )
    SELECT id FROM given ORDER BY n`;
}

/** Puts batches within a transaction. */
export async function putBatches(
  tx: Queries,
  parts: StoreParts,
  puts: readonly Put[],
): Promise<PutResult[]> {
  const { shared, seen } = parts;
  const { schema } = shared;
  const keys = puts.flatMap((put) =>
    put.batch.accepted.flatMap((one, i) => keysOf(parts, put, one, i)),
  );
  const fresh = await seen.note(tx, keys, shared.database.now());
  const counts = new CountChanges();
  const blocks = new NewBlocks();
  const results = puts.map((put) => route(parts, put, { fresh, counts, blocks }));
  const rejected = insertRejected(tx, parts, puts, counts);
  const deleted = insertDeletions(tx, parts, puts, counts);
  await Promise.all([rejected, deleted, counts.write(tx, schema), blocks.write(tx, parts)]);
  return results;
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

async function insertDeletions(
  tx: Queries,
  { shared, names }: StoreParts,
  puts: readonly Put[],
  counts: CountChanges,
): Promise<void> {
  const inserted = puts.flatMap(({ deletion, batch }) => {
    if (!deletion) return [];
    const source = names.find('source', batch.source.name);
    const { userId, timestamp, receivedAt } = deletion.request;
    counts.add(source, 0, 'deletion');
    return tx.query(
      `INSERT INTO ${shared.schema}.deletion (source, user_id, timestamp, received_at, message_id) VALUES ($1, $2, $3, $4, $5)`,
      [source, storable(userId), storable(timestamp), receivedAt, deletion.messageId],
    );
  });
  await Promise.all(inserted);
}

async function insertRejected(
  tx: Queries,
  { shared, names }: StoreParts,
  puts: readonly Put[],
  counts: CountChanges,
): Promise<void> {
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
  await tx.query(
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
