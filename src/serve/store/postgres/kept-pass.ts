import type { Transaction } from '../../../store/postgres/queries.js';
import { keptBytesSql } from './kept-blocks.js';

/** Blocks that are looked at, and deleted, in one transaction. */
const blocksAtOnce = 1_000;
/** A part of the time at most goes into what is passed over. */
const partOfTime = 20;

/** Before all places: ids and times. */
const beginning = -1;

/** A way through kept blocks, the oldest first. What still waits is passed over until it starts over. */
export class Pass {
  place = beginning;
  #startedAt = -Infinity;
  #spentMs = 0;

  /** Starts over, unless that would take too much of the time: with many blocks that wait it goes on. */
  resume(now: number): void {
    if (now - this.#startedAt < this.#spentMs * partOfTime) return;
    this.place = beginning;
    this.#startedAt = now;
    this.#spentMs = 0;
  }

  moveTo(place: number, tookMs: number): void {
    this.place = place;
    this.#spentMs += tookMs;
  }
}

/** Which blocks, and by what they are in order; `where` has `$3` and on. */
export interface BlockRange {
  readonly by: 'id' | 'queued_at';
  readonly where: string;
  readonly values: readonly unknown[];
}

export interface Deleted {
  readonly events: number;
  readonly bytes: number;
  /** Where to go on; null at the end. */
  readonly place: number | null;
}

/**
 * Within a transaction: deletes the next blocks behind a place, until they have taken so many bytes. A block with events
 * that wait is passed over; one whose events have ended cannot wait again.
 */
export async function deleteNext(
  tx: Transaction,
  schema: string,
  { by, where, values }: BlockRange,
  after: number,
  mostBytes = Infinity,
): Promise<Deleted> {
  const [row] = await tx.query<Deleted>(
    `WITH page AS MATERIALIZED (
       SELECT id, ${by} AS place, ${keptBytesSql} AS bytes,
         NOT EXISTS (SELECT 1 FROM ${schema}.queued_block q WHERE q.block = b.id) AS has_ended
       FROM ${schema}.event_block b WHERE ${where} AND ${by} > $1
       ORDER BY ${by} FETCH FIRST ${blocksAtOnce} ROWS WITH TIES
     ), gone AS (
       DELETE FROM ${schema}.event_block WHERE id IN (
         SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY place, id) - bytes AS before FROM page WHERE has_ended) AS ended
         WHERE before < $2::float8)
       RETURNING id, size, ${keptBytesSql} AS bytes
     )
     SELECT coalesce(sum(size), 0)::int AS events, coalesce(sum(bytes), 0)::float8 AS bytes,
       CASE WHEN (SELECT count(*) FROM page) >= ${blocksAtOnce} THEN (SELECT max(place) FROM page) END AS place
     FROM gone`,
    [after, mostBytes, ...values],
  );
  return row!;
}
