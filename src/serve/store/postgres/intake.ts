import { setImmediate } from 'node:timers/promises';
import type { Transaction } from '../../../store/postgres/queries.js';
import { assignTransactionId } from '../../../store/postgres/transaction.js';
import { DeletedUserKeys } from '../deleted-user-keys.js';
import { isKeeping, retentionOf } from '../../kept/settings.js';
import type { Accepted, Deletion, IngestBatch, Rejected } from '../../types.js';
import { seenKey } from '../seen-key.js';
import type { Route } from '../service-store.js';
import { CountChanges, storable, type StoreParts } from './context.js';
import { countKept } from './kept-blocks.js';
import { NewBlocks, newBlockIds, numbersTo } from './new-blocks.js';
import { deletedUserOf, type DeletedUserColumns } from '../records.js';
import { keyWithoutDestination } from './seen.js';

/** What is put in one transaction, all or nothing. */
export interface Put {
  readonly batch: IngestBatch;
  /** One per accepted event. */
  readonly routes: readonly Route[];
  readonly deletion?: { readonly request: Deletion; readonly messageId: string } | undefined;
}

/** What became of it. */
export interface PutResult {
  /** Events that all their destinations had within a day. */
  readonly repeated: readonly Accepted[];
  /** Names of destinations for which something was queued. */
  readonly queued: ReadonlySet<string>;
}

/**
 * Puts batches within a transaction: a round trip for what has to be known, and one for everything else with the commit.
 */
export async function putBatches(
  tx: Transaction,
  parts: StoreParts,
  puts: readonly Put[],
): Promise<PutResult[]> {
  const { shared, seen } = parts;
  // Members are named: a spread for each event is seen in the rate.
  const keyed = puts.map(({ batch, routes, deletion }) => ({
    batch,
    routes,
    deletion,
    keys: batch.accepted.map((one, i) => keysOf(parts, batch, routes[i]!, one)),
  }));
  const keys = new Set(keyed.flatMap((put) => put.keys.flat()));
  // What is nearly always true: there are no repeats.
  const expected = draftOf(parts, keyed, keys, new DeletedUserKeys());
  // In this order: a new key gives the transaction its id before deletion requests are read.
  const [fresh, { ids, removed }] = await Promise.all([
    seen.note(tx, keys, shared.database.now()),
    blockIdsAndRemoved(tx, parts, expected.blocks.size, keyed),
    // The server has received both by then, and works on them meanwhile.
    setImmediate().then(() => expected.blocks.pack()),
  ]);
  const isExpected = fresh.size === keys.size && removed.size === 0;
  const { results, counts, blocks } = isExpected ? expected : draftOf(parts, keyed, fresh, removed);
  insertRejected(tx, parts, puts, counts);
  insertDeletions(tx, parts, puts, counts);
  countKept(counts, await blocks.write(tx, parts, ids));
  counts.write(tx, shared.schema);
  return results;
}

/**
 * Ids for new blocks, and the users whose deletion was requested since the first event was received: what came before,
 * and is stored only now, is not kept.
 */
async function blockIdsAndRemoved(
  tx: Transaction,
  { shared: { schema }, keep }: StoreParts,
  blocks: number,
  puts: readonly KeyedPut[],
): Promise<{ readonly ids: readonly number[]; readonly removed: DeletedUserKeys }> {
  if (blocks === 0) return { ids: [], removed: new DeletedUserKeys() };
  if (!isKeeping(keep()))
    return { ids: await newBlockIds(tx, schema, blocks), removed: new DeletedUserKeys() };
  // The removal of kept events waits for the transactions before it: this one must be one before it reads the requests.
  if (!puts.every(writesKeys)) assignTransactionId(tx);
  const receivedAt = Math.min(...puts.map(({ batch }) => batch.receivedAt));
  const rows = await tx.query<{ id: number; deletions: readonly DeletedUserColumns[] | null }>(
    `SELECT nextval('${schema}.block_id') AS id, CASE n WHEN 1 THEN (SELECT json_agg(json_build_object(
         'user_id', user_id, 'received_at', received_at)) FROM ${schema}.deletion WHERE received_at >= $2) END AS deletions
     FROM unnest($1::int[]) AS n ORDER BY n`,
    [numbersTo(blocks), receivedAt],
  );
  const deletions = rows[0]!.deletions ?? [];
  return {
    ids: rows.map(({ id }) => id),
    removed: new DeletedUserKeys(deletions.map(deletedUserOf)),
  };
}

/** Whether each event that is stored has a new key, whose insertion gives the transaction its id. */
function writesKeys({ routes, keys }: KeyedPut): boolean {
  return keys.every((own, i) => own.length > 0 && routes[i]!.destinations.length > 0);
}

/** What is stored if exactly these keys are new. */
function draftOf(
  parts: StoreParts,
  puts: readonly KeyedPut[],
  freshKeys: ReadonlySet<string>,
  removed: DeletedUserKeys,
): Draft & { readonly results: PutResult[] } {
  const draft = {
    fresh: new Set(freshKeys),
    counts: new CountChanges(),
    blocks: new NewBlocks(),
    removed,
  };
  return { ...draft, results: puts.map((put) => route(parts, put, draft)) };
}

/** With the keys of each event, one per destination; empty for an event that is not recognized. */
interface KeyedPut extends Put {
  readonly keys: readonly (readonly string[])[];
}

interface Draft {
  readonly fresh: Set<string>;
  readonly counts: CountChanges;
  readonly blocks: NewBlocks;
  readonly removed: DeletedUserKeys;
}

function route(
  { names, keep }: StoreParts,
  { batch, routes, keys }: KeyedPut,
  { fresh, counts, blocks, removed }: Draft,
): PutResult {
  const source = names.find('source', batch.source.name);
  const repeated: Accepted[] = [];
  const queued = new Set<string>();
  const received = batch.accepted.length + batch.rejected.length;
  if (received > 0) counts.add(source, 0, 'received', received);
  batch.accepted.forEach((accepted, i) => {
    const { destinations, skipped } = routes[i]!;
    const own = keys[i]!;
    // Also of the same messageId twice in a group, the first one alone.
    const missing = destinations.filter((_, n) => own.length === 0 || fresh.delete(own[n]!));
    if (missing.length === 0 && destinations.length > 0) {
      counts.add(source, 0, 'repeated');
      repeated.push(accepted);
      return;
    }
    for (const name of skipped) counts.add(source, names.find('destination', name), 'skipped');
    if (missing.length === 0 && skipped.length === 0) counts.add(source, 0, 'unforwarded');
    const { event, stamp } = accepted;
    const { receivedAt } = batch;
    // A notification of a deletion would keep the user.
    const isKept = event.type !== 'delete' && !removed.has({ event, receivedAt });
    const keptMs = isKept ? retentionOf(keep(), missing) : 0;
    if (missing.length === 0 && keptMs === 0) return;
    blocks.add(
      { source, receivedAt, event, stamp },
      missing.map((name) => names.find('destination', name)),
      keptMs,
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
  batch: IngestBatch,
  { destinations }: Route,
  accepted: Accepted,
): string[] {
  if (!isRecognized(accepted)) return [];
  const source = names.find('source', batch.source.name);
  const { messageId } = accepted.stamp;
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
