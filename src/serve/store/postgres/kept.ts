import type { Clock } from '../../../clock.js';
import type { Transaction } from '../../../store/postgres/queries.js';
import type { KeptEvents, ReadBlock, ReadKeptOptions } from '../../kept/kept-events.js';
import { keepsNothing, retentionNow, type KeepSettings } from '../../kept/settings.js';
import type { DeletedUser } from '../deleted-users.js';
import { CountChanges, type StoreParts } from './context.js';
import { countKept, keptBytesSql, keptCounter } from './kept-blocks.js';
import { readKeptBlocks } from './kept-reader.js';
import { finishRemovals, removeUsers } from './kept-removal.js';

const sweepEveryMs = 2_000;
/** Blocks that are deleted in one transaction. */
const deletedAtOnce = 1_000;

export interface PostgresKeptOptions {
  readonly parts: () => StoreParts;
  readonly clock: Clock;
  /** So many events were dropped before their time. */
  readonly onDropped: (events: number) => void;
  /** Turns what is wrong with the store into a StateError. */
  readonly waited: <T>(work: () => Promise<T>) => Promise<T>;
}

interface Deleted {
  readonly blocks: number;
  readonly events: number;
  readonly bytes: number;
}

/**
 * Kept events in a store that instances share: the blocks in which they waited stay when they have ended, with what tells
 * their users, so that keeping costs no second copy. One instance at a time deletes what is over.
 */
export class PostgresKept implements KeptEvents {
  settings: KeepSettings = keepsNothing;
  readonly #options: PostgresKeptOptions;
  #isConfigured = false;
  #sweptAt = -Infinity;
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: PostgresKeptOptions) {
    this.#options = options;
  }

  configure(settings: KeepSettings): void {
    this.settings = settings;
    this.#isConfigured = true;
  }

  async *read(options?: ReadKeptOptions): AsyncGenerator<ReadBlock> {
    const { shared, names } = this.#options.parts();
    const { database: queries, schema } = shared;
    const blocks = readKeptBlocks({ queries, schema }, names, options);
    for (;;) {
      const next = await this.#options.waited(() => blocks.next());
      if (next.done) return;
      yield next.value;
    }
  }

  remove(users: readonly DeletedUser[], mayContinue: () => boolean): Promise<boolean> {
    const { parts, clock, waited } = this.#options;
    return waited(() => removeUsers(parts(), users, { clock, mayContinue }));
  }

  /** Deletes what is over, unless it was done a moment ago. @throws StoreUnavailable */
  sweep(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (!this.#isConfigured || this.#sweeping || now - this.#sweptAt < sweepEveryMs)
      return Promise.resolve();
    this.#sweptAt = now;
    this.#sweeping = this.#sweep().finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  /** Resolves when nothing is written anymore. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sweeping?.catch(() => undefined);
  }

  async #sweep(): Promise<void> {
    const { shared } = this.#options.parts();
    const { database, schema } = shared;
    for (let keptMs = -Infinity; ;) {
      const [next] = await database.query<{ ms: number | null }>(
        `SELECT min(kept_ms) AS ms FROM ${schema}.event_block WHERE kept_ms > $1`,
        [keptMs],
      );
      if (typeof next?.ms !== 'number') break;
      keptMs = next.ms;
      const before = database.now() - retentionNow(this.settings, keptMs);
      await this.#deleteAll(() => ({
        text: `SELECT id FROM ${schema}.event_block b WHERE kept_ms = $1 AND queued_at <= $2 AND ${endedSql(schema)}
          ORDER BY queued_at LIMIT ${deletedAtOnce}`,
        values: [keptMs, before],
      }));
    }
    await finishRemovals(this.#options.parts());
    await this.#dropAbove(this.settings.maxBytes);
  }

  async #dropAbove(maxBytes: number): Promise<void> {
    const { schema } = this.#options.parts().shared;
    let excess = (await this.#bytes()) - maxBytes;
    if (excess <= 0) return;
    await this.#deleteAll(
      () =>
        excess <= 0
          ? undefined
          : {
              text: `SELECT id FROM (
                SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM (
                  SELECT id, ${keptBytesSql} AS bytes FROM ${schema}.event_block b
                  WHERE kept_ms IS NOT NULL AND ${endedSql(schema)} ORDER BY id LIMIT ${deletedAtOnce}) AS oldest
                ) AS summed WHERE before < $1`,
              values: [excess],
            },
      ({ events, bytes }) => {
        excess -= bytes;
        this.#options.onDropped(events);
      },
    );
  }

  /** What is kept, in bytes. */
  async #bytes(): Promise<number> {
    const { database, schema } = this.#options.parts().shared;
    const [row] = await database.query<{ bytes: number }>(
      `SELECT ((SELECT coalesce(sum(n), 0) FROM ${schema}.count WHERE what = $1)
       + (SELECT coalesce(sum((c->>3)::bigint), 0) FROM ${schema}.count_change, jsonb_array_elements(changes) AS c
          WHERE c->>2 = $1))::float8 AS bytes`,
      [keptCounter],
    );
    return row!.bytes;
  }

  /** Deletes blocks until none is found, unless another instance does. What waits is never deleted. */
  async #deleteAll(
    ids: () => { readonly text: string; readonly values: readonly unknown[] } | undefined,
    onDeleted: (deleted: Deleted) => void = () => undefined,
  ): Promise<void> {
    const { database, schema } = this.#options.parts().shared;
    for (;;) {
      const found = ids();
      if (!found || this.#isClosed) return;
      const deleted = await database.transaction(async (tx) => {
        if (!(await isOurTurn(tx, schema))) return undefined;
        const [row] = await tx.query<Deleted>(
          `WITH gone AS (
             DELETE FROM ${schema}.event_block WHERE id IN (${found.text}) RETURNING size, ${keptBytesSql} AS bytes)
           SELECT count(*)::int AS blocks, coalesce(sum(size), 0)::int AS events, coalesce(sum(bytes), 0)::float8 AS bytes
           FROM gone`,
          found.values,
        );
        const counts = new CountChanges();
        countKept(counts, -row!.bytes);
        counts.write(tx, schema);
        return row!;
      });
      if (!deleted) return;
      if (deleted.events > 0) onDeleted(deleted);
      if (deleted.blocks === 0) return;
    }
  }
}

/** Whether nothing of the block `b` waits. It cannot wait again. */
function endedSql(schema: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${schema}.queued_block q WHERE q.block = b.id)`;
}

/** Until the end of the transaction. */
async function isOurTurn(tx: Transaction, schema: string): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 2)) AS taken',
    [`evfwd kept ${schema}`],
  );
  return row!.taken;
}
