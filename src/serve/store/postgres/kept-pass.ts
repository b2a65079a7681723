import type { Transaction } from '../../../store/postgres/queries.js';
import { keptBytesSql } from './kept-blocks.js';

/** How many blocks are examined, and deleted, in one transaction: as many as are deleted soon. */
const [minBlocks, maxBlocks] = [10, 1_000];
const soonMs = 500;
/** A pass starts over after this many times of what it took, so that skipped blocks take at most a 20th of the time. */
const partOfTime = 20;

/** Before all places: ids and times. */
const beginning = -1;

/** A pass through kept blocks, the oldest first. Blocks with waiting events are skipped until it starts over. */
export class Pass {
  place = beginning;
  /** How many blocks are deleted next. */
  blocks = maxBlocks;
  #startedAt = -Infinity;
  #spentMs = 0;

  /** Starts over, unless that would take too much of the time: with many waiting blocks it goes on from its place. */
  resume(now: number): void {
    if (now - this.#startedAt < this.#spentMs * partOfTime) return;
    this.place = beginning;
    this.#startedAt = now;
    this.#spentMs = 0;
  }

  moveTo(place: number, tookMs: number): void {
    this.place = place;
    this.#spentMs += tookMs;
    this.#resize(tookMs > soonMs ? 0.5 : 2);
  }

  /** Of a slow disk, perhaps: a statement that takes too long is taken for a server that is away, and nothing is accepted meanwhile. */
  noteFailure(): void {
    this.#resize(0.25);
  }

  #resize(factor: number): void {
    this.blocks = Math.min(Math.max(Math.floor(this.blocks * factor), minBlocks), maxBlocks);
  }
}

/** Which blocks, and their order. The parameters of `where` are `$3` and following. */
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
 * Within a transaction: deletes the next blocks of a pass, until `maxBytes` are deleted. Skips blocks with waiting
 * events; a block whose events have all ended cannot wait again.
 */
export async function deleteNext(
  tx: Transaction,
  schema: string,
  { by, where, values }: BlockRange,
  { place, blocks }: Pick<Pass, 'place' | 'blocks'>,
  maxBytes = Infinity,
): Promise<Deleted> {
  const [row] = await tx.query<Deleted>(
    `WITH page AS MATERIALIZED (
       SELECT id, ${by} AS place, ${keptBytesSql} AS bytes,
         NOT EXISTS (SELECT 1 FROM ${schema}.queued_block q WHERE q.block = b.id) AS has_ended
       FROM ${schema}.event_block b WHERE ${where} AND ${by} > $1
       ORDER BY ${by} FETCH FIRST ${blocks} ROWS WITH TIES
     ), gone AS (
       DELETE FROM ${schema}.event_block WHERE id IN (
         SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY place, id) - bytes AS before FROM page WHERE has_ended) AS ended
         WHERE before < $2::float8)
       RETURNING id, size, ${keptBytesSql} AS bytes
     )
     SELECT coalesce(sum(size), 0)::int AS events, coalesce(sum(bytes), 0)::float8 AS bytes,
       CASE WHEN (SELECT count(*) FROM page) >= ${blocks} THEN (SELECT max(place) FROM page) END AS place
     FROM gone`,
    [place, maxBytes, ...values],
  );
  return row!;
}
