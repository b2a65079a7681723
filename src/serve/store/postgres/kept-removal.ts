import type { Clock } from '../../../clock.js';
import { sleep } from '../../../delivery/sleep.js';
import type { Queries, Transaction } from '../../../store/postgres/queries.js';
import { DeletedUserKeys } from '../deleted-user-keys.js';
import type { DeletedUser } from '../deleted-users.js';
import { unlessDamaged, type StoredEvent } from '../stored.js';
import { placeOf, unpackBlock, withoutPlaces } from './codec.js';
import { CountChanges, storable, type StoreParts } from './context.js';
import { deletedUserOf, type DeletedUserColumns } from '../records.js';
import { countKept, hashBytes, keptBytes, usersOf } from './kept-blocks.js';
import { isWaiting } from './unit.js';

/** How many blocks, and how many users, one statement compares. */
const blocksAtOnce = 2_000;
const usersAtOnce = 50;
/**
 * How long to wait for open transactions before the events are removed, and again before those are removed that the
 * transactions have stored meanwhile. After that, only transactions that store events count.
 */
const waitsMs = [2_000, 10_000];
const askEveryMs = 50;
const removalsAtOnce = 100;

/**
 * Removes the events of these users, received before the request, from kept blocks. Those that still wait are left to
 * `finishRemovals`. Resolves to whether all are done. @throws StoreUnavailable
 */
export async function removeUsersFromBlocks(
  parts: StoreParts,
  users: readonly DeletedUser[],
  { clock, mayContinue }: RemovalOptions,
): Promise<boolean> {
  const { database } = parts.shared;
  // Open transactions may store events without knowing of the request. The end of a snapshot would miss the newest ones.
  const [open] = await database.query<{ next: string }>(
    'SELECT pg_current_xact_id()::text AS next',
  );
  for (const waitMs of waitsMs) {
    const end = clock.monotonic() + waitMs;
    let areOver = await haveEnded(database, open!.next);
    while (!areOver && mayContinue() && clock.monotonic() < end) {
      await sleep(askEveryMs, clock);
      areOver = await haveEnded(database, open!.next);
    }
    if (!(await removeFound(parts, users, mayContinue))) return false;
    if (areOver) return true;
  }
  return !(await areStoring(parts, open!.next));
}

interface RemovalOptions {
  readonly clock: Clock;
  readonly mayContinue: () => boolean;
}

async function removeFound(
  parts: StoreParts,
  users: readonly DeletedUser[],
  mayContinue: () => boolean,
): Promise<boolean> {
  for (let from = 0; from < users.length; from += usersAtOnce) {
    const some = users.slice(from, from + usersAtOnce);
    const hashes = [...new DeletedUserKeys(some).hashes].map(hashBytes);
    for (let after: number | null = 0; hashes.length > 0 && after !== null;) {
      if (!mayContinue()) return false;
      const found = await blocksWith(parts, hashes, after);
      for (const block of found.blocks) await removeFrom(parts, block, some);
      after = found.last;
    }
  }
  return true;
}

/** Removes events that waited when their users were removed, once their block has ended. @throws StoreUnavailable */
export async function finishRemovals(parts: StoreParts): Promise<void> {
  const { database, schema } = parts.shared;
  const rows = await database.query<DeletedUserColumns & { readonly block: number }>(
    `SELECT block, user_id, received_at FROM ${schema}.kept_removal r
     WHERE NOT EXISTS (SELECT 1 FROM ${schema}.queued_block q WHERE q.block = r.block) LIMIT ${removalsAtOnce}`,
  );
  for (const block of new Set(rows.map((row) => row.block))) {
    const users = rows.filter((row) => row.block === block).map(deletedUserOf);
    await removeFrom(parts, block, users);
  }
}

/** Whether all transactions before this one have ended. */
async function haveEnded(queries: Queries, next: string): Promise<boolean> {
  const [row] = await queries.query<{ areOver: boolean }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS "areOver"',
    [next],
  );
  return row!.areOver;
}

/** Whether an earlier transaction is open that has read deletion requests and writes. */
async function areStoring({ shared }: StoreParts, next: string): Promise<boolean> {
  const { database, schema } = shared;
  const [row] = await database.query<{ areOpen: boolean }>(
    `SELECT EXISTS (
       SELECT 1 FROM pg_locks AS own JOIN pg_locks AS has_read USING (virtualtransaction)
       WHERE own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
       AND age(own.transactionid) > age($1::xid8::xid)
       AND has_read.locktype = 'relation' AND has_read.relation = '${schema}.deletion'::regclass
     ) AS "areOpen"`,
    [next],
  );
  return row!.areOpen;
}

/** Kept blocks after an id that may have events of these users. `last` is where to go on; null at the end. */
async function blocksWith(
  { shared: { database, schema } }: StoreParts,
  hashes: readonly Buffer[],
  after: number,
): Promise<{ readonly blocks: readonly number[]; readonly last: number | null }> {
  const [row] = await database.query<{ blocks: number[] | null; last: number | null }>(
    `SELECT max(id) AS last, json_agg(id ORDER BY id) FILTER (
       WHERE EXISTS (SELECT 1 FROM unnest($2::bytea[]) AS user_hash WHERE position(user_hash IN users) > 0)) AS blocks
     FROM (SELECT id, users FROM ${schema}.event_block WHERE kept_ms IS NOT NULL AND id > $1
       ORDER BY id LIMIT ${blocksAtOnce}) AS page`,
    [after, hashes],
  );
  return { blocks: row!.blocks ?? [], last: row!.last };
}

async function removeFrom(
  parts: StoreParts,
  block: number,
  users: readonly DeletedUser[],
): Promise<void> {
  await parts.shared.database.transaction((tx) => removeWithin(tx, parts, block, users));
}

async function removeWithin(
  tx: Transaction,
  { shared: { schema }, names }: StoreParts,
  block: number,
  users: readonly DeletedUser[],
): Promise<void> {
  // A newer request of the same user stays: it may be for more events.
  tx.send(
    `DELETE FROM ${schema}.kept_removal r USING unnest($2::text[], $3::float8[]) AS u (id, received_at)
     WHERE block = $1 AND user_id = u.id AND r.received_at <= u.received_at`,
    [block, users.map(({ userId }) => storable(userId)), users.map(({ receivedAt }) => receivedAt)],
  );
  const [row] = await tx.query<{ queued_at: number; body: Buffer; users: Buffer }>(
    `SELECT queued_at, body, users FROM ${schema}.event_block WHERE id = $1 FOR UPDATE`,
    [block],
  );
  const events =
    row &&
    unlessDamaged(() =>
      unpackBlock({ id: block, queuedAt: row.queued_at, body: row.body }, (source) =>
        names.name(source),
      ),
    );
  if (!events) return;
  const queues = await tx.query<{ waiting_bits: Buffer | null }>(
    `SELECT waiting_bits FROM ${schema}.queued_block WHERE block = $1`,
    [block],
  );
  const waits = (id: number): boolean =>
    queues.some(({ waiting_bits }) => isWaiting(waiting_bits, placeOf(id)));
  const removed = new DeletedUserKeys(users);
  const gone = events.filter((event) => removed.has(event));
  const now = gone.filter(({ id }) => !waits(id));
  const later = usersWith(
    users,
    gone.filter(({ id }) => waits(id)),
  );
  if (now.length > 0) {
    const places = new Set(now.map(({ id }) => placeOf(id)));
    const body = withoutPlaces(row.body, places);
    const left = usersOf(events.filter((event) => !now.includes(event)));
    const update = `UPDATE ${schema}.event_block SET body = $2, users = $3 WHERE id = $1`;
    tx.send(update, [block, body, left]);
    const counts = new CountChanges();
    countKept(counts, keptBytes(body, left) - keptBytes(row.body, row.users));
    counts.write(tx, schema);
  }
  if (later.length === 0) return;
  tx.send(
    `INSERT INTO ${schema}.kept_removal (block, user_id, received_at)
     SELECT $1, * FROM unnest($2::text[], $3::float8[])`,
    [block, later.map(({ userId }) => storable(userId)), later.map(({ receivedAt }) => receivedAt)],
  );
}

/** The users that have events among these. */
function usersWith(
  users: readonly DeletedUser[],
  events: readonly StoredEvent[],
): readonly DeletedUser[] {
  if (events.length === 0) return [];
  return users.filter((user) => {
    const removed = new DeletedUserKeys([user]);
    return events.some((event) => removed.has(event));
  });
}
