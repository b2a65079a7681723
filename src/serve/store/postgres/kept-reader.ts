import type { Queries } from '../../../store/postgres/queries.js';
import type { ReadEvent } from '../../kept/block.js';
import type { ReadBlock, ReadKeptOptions } from '../../kept/kept-events.js';
import { unlessDamaged } from '../stored.js';
import { isRemoved, unpackBlock } from './codec.js';
import type { Names } from './names.js';

/** Blocks that are read at once, of up to 64 KB of text each. */
const blocksAtOnce = 16;
/** How many blocks outside of the period are skipped by one query. */
const passedAtOnce = 10_000;
/** How many blocks since a time are examined to find the lowest id: their order differs where the clock was set back. */
const firstAmong = 1_000;
/** An event that was stored later than this after its arrival may be left out. */
const lateMs = 10 * 60_000;

interface KeptRow {
  readonly id: number;
  readonly queued_at: number;
  readonly kept_ms: number;
  readonly kept_for: readonly number[];
  readonly body: Buffer;
}

/**
 * The kept events that a store has at this moment, in the order of their ids. The place of an event is its id, so that a
 * reader can go on after it whatever is read together.
 * @throws StoreUnavailable
 */
export async function* readKeptBlocks(
  { queries, schema }: { readonly queries: Queries; readonly schema: string },
  names: Names,
  { after, since, until = Infinity }: ReadKeptOptions = {},
): AsyncGenerator<ReadBlock> {
  await names.refresh();
  const end = await lastId(queries, schema);
  let last = after?.block ?? 0;
  if (since !== undefined) {
    const first = await firstSince(queries, schema, since - lateMs);
    if (first === undefined) return;
    last = Math.max(last, first - 1);
  }
  for (;;) {
    const rows = await queries.query<KeptRow>(
      `SELECT id, queued_at, kept_ms, kept_for, body FROM ${schema}.event_block
       WHERE kept_ms IS NOT NULL AND id > $1 AND id <= $2 ORDER BY id LIMIT ${blocksAtOnce}`,
      [last, end],
    );
    if (rows.length === 0) return;
    if (rows.some((row) => eventsOf(row, names).some(isUnnamed))) await names.refresh();
    for (const same of runsOf(rows)) {
      const events = same.flatMap((row) => eventsOf(row, names));
      const { id, kept_ms: retentionMs } = same.at(-1)!;
      yield { events, retentionMs, hasOwnPlaces: false, position: { block: id } };
    }
    last = rows.at(-1)!.id;
    if (rows.at(-1)!.queued_at <= until + lateMs) continue;
    const next = await nextUntil(queries, schema, { last, end, until: until + lateMs });
    if (next === undefined) return;
    last = next - 1;
  }
}

/** No block that is committed now has a higher id. */
async function lastId(queries: Queries, schema: string): Promise<number> {
  const [row] = await queries.query<{ id: number }>(
    `SELECT last_value AS id FROM ${schema}.block_id`,
  );
  return row!.id;
}

/** The id of the next block that was stored by then. It may follow later ones, if the clock was set back. */
async function nextUntil(
  queries: Queries,
  schema: string,
  { last, end, until }: { readonly last: number; readonly end: number; readonly until: number },
): Promise<number | undefined> {
  for (let after = last; ;) {
    const [row] = await queries.query<{ next: number | null; last: number | null }>(
      `SELECT min(id) FILTER (WHERE queued_at <= $3) AS next, max(id) AS last FROM (
         SELECT id, queued_at FROM ${schema}.event_block
         WHERE kept_ms IS NOT NULL AND id > $1 AND id <= $2 ORDER BY id LIMIT ${passedAtOnce}) AS passed`,
      [after, end, until],
    );
    if (typeof row!.next === 'number') return row!.next;
    if (typeof row!.last !== 'number') return undefined;
    after = row!.last;
  }
}

/** Groups of successive rows with the same retention. */
function runsOf(rows: readonly KeptRow[]): KeptRow[][] {
  const runs: KeptRow[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0]!.kept_ms === row.kept_ms) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

/** The id of the first block that was stored since then, except rare ones from before the clock was set back. */
async function firstSince(
  queries: Queries,
  schema: string,
  since: number,
): Promise<number | undefined> {
  const [row] = await queries.query<{ id: number | null }>(
    `WITH RECURSIVE kept AS (
       SELECT min(kept_ms) AS ms FROM ${schema}.event_block WHERE kept_ms IS NOT NULL
       UNION ALL
       SELECT (SELECT min(kept_ms) FROM ${schema}.event_block b WHERE b.kept_ms > kept.ms) FROM kept WHERE kept.ms IS NOT NULL
     )
     SELECT min(first.id) AS id FROM kept CROSS JOIN LATERAL (
       SELECT id FROM ${schema}.event_block WHERE kept_ms = kept.ms AND queued_at >= $1 ORDER BY queued_at LIMIT ${firstAmong}
     ) AS first`,
    [since],
  );
  return row?.id ?? undefined;
}

/** Those that were removed, or are damaged, are left out. */
function eventsOf(row: KeptRow, names: Names): ReadEvent[] {
  const { id, queued_at: queuedAt, body } = row;
  const events = unlessDamaged(() =>
    unpackBlock({ id, queuedAt, body }, (source) => names.name(source)),
  );
  const destinations = row.kept_for.map((number) => names.name(number));
  return (events ?? [])
    .filter((event) => !isRemoved(event))
    .map((event) => ({ ...event, destinations, at: event.id }));
}

/** An instance with a newer configuration has added a name. */
function isUnnamed({ source, destinations }: ReadEvent): boolean {
  return source === '' || destinations.includes('');
}
