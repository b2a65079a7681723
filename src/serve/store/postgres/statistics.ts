import type { SharedStore } from '../../../store/postgres/open.js';
import { maxBlockEvents } from './codec.js';
import { countChangesSql } from './context.js';
import type { Queued, QueueLength, SetAside } from '../service-store.js';

interface Waiting {
  readonly length: QueueLength;
  readonly notAttemptedSince: number | undefined;
  readonly nextRetryAt: number | undefined;
  readonly oldest: Queued | undefined;
}

/** What waits for a destination in one table. */
interface WaitingRow {
  readonly destination: number;
  readonly n: number;
  readonly since: number;
  /** Of the oldest block, batch or event. */
  readonly id: number;
}

const nothing: Waiting = {
  length: { waiting: 0, retrying: 0 },
  notAttemptedSince: undefined,
  nextRetryAt: undefined,
  oldest: undefined,
};

/** Many kept rows are counted less often: nothing is decided by them. */
const keptEveryMs = 5_000;
/** Where counting them takes less, they are counted each time. */
const cheapMs = 25;
/** The pause after a reading, as a multiple of how long it took. */
const readShare = 10;

type Kept = 'dead_letter' | 'rejected' | 'deletion';

/** What waits in the store for each destination (by its number), and what is kept, as of the last second. */
export class StoreStatistics {
  readonly #shared: SharedStore;
  #waiting = new Map<number, Waiting>();
  #withParked: ReadonlySet<number> = new Set();
  readonly #kept: Record<Kept, ReadonlyMap<number, number>> = {
    dead_letter: new Map(),
    rejected: new Map(),
    deletion: new Map(),
  };
  #counts: readonly {
    readonly source: number;
    readonly destination: number;
    readonly what: string;
    readonly n: number;
  }[] = [];
  #setAside: SetAside = { blocks: 0, events: 0 };
  #readAt = -Infinity;
  #readMs = 0;
  #keptAt = -Infinity;
  /** How long that took. */
  #keptMs = 0;
  /** Seconds. */
  #oldestTransaction = 0;

  constructor(shared: SharedStore) {
    this.#shared = shared;
  }

  async refresh(now: number, isWhole = false): Promise<void> {
    // With a very large backlog, counting is at most a tenth of the time.
    if (!isWhole && now - this.#readAt < readShare * this.#readMs) return;
    const begun = performance.now();
    try {
      await this.#read(now, isWhole);
    } finally {
      this.#readAt = now;
      this.#readMs = performance.now() - begun;
    }
  }

  async #read(now: number, isWhole: boolean): Promise<void> {
    await this.#readWaiting();
    await this.#readSetAside();
    const isCheap = this.#keptMs < cheapMs;
    if (isWhole || isCheap || now - this.#keptAt >= keptEveryMs) await this.#readKept(now);
    await this.#readOldestTransaction();
  }

  async #readWaiting(): Promise<void> {
    const { database, schema } = this.#shared;
    const blocks = await database.query<WaitingRow>(
      `SELECT destination, sum(waiting_count)::int AS n, min(queued_at) AS since, min(block) AS id
       FROM ${schema}.queued_block WHERE destination > 0 GROUP BY destination`,
    );
    const parked = await database.query<WaitingRow>(
      `SELECT destination, count(*)::int AS n, min(queued_at) AS since, min(event) / ${maxBlockEvents} AS id
       FROM ${schema}.user_event WHERE destination > 0 AND body IS NOT NULL GROUP BY destination`,
    );
    const retries = await database.query<WaitingRow & { readonly due: number }>(
      `SELECT destination, sum(size)::int AS n, min(queued_at) AS since, min(due_at) AS due, min(id) AS id
       FROM ${schema}.retry_batch WHERE destination > 0 GROUP BY destination`,
    );
    const waiting = new Map<number, Waiting>();
    for (const row of [...blocks, ...parked]) {
      const { length, oldest: before } = waiting.get(row.destination) ?? nothing;
      const oldest = olderOf(before, row);
      waiting.set(row.destination, {
        ...nothing,
        length: { waiting: length.waiting + row.n, retrying: 0 },
        notAttemptedSince: oldest.queuedAt,
        oldest,
      });
    }
    for (const row of retries) {
      const { length, oldest, ...rest } = waiting.get(row.destination) ?? nothing;
      waiting.set(row.destination, {
        ...rest,
        length: { waiting: length.waiting + row.n, retrying: row.n },
        nextRetryAt: row.due,
        oldest: olderOf(oldest, row),
      });
    }
    this.#waiting = waiting;
    this.#withParked = new Set(parked.map(({ destination }) => destination));
  }

  async #readSetAside(): Promise<void> {
    const { database, schema } = this.#shared;
    const [setAside] = await database.query<SetAside & Record<string, unknown>>(
      `SELECT count(DISTINCT id)::int AS blocks, coalesce(sum(n), 0)::int AS events FROM (
         SELECT block AS id, waiting_count AS n FROM ${schema}.queued_block WHERE destination < 0
         UNION ALL SELECT -id, size FROM ${schema}.retry_batch WHERE destination < 0
         UNION ALL SELECT -event, 1 FROM ${schema}.user_event WHERE destination < 0) AS damaged`,
    );
    this.#setAside = setAside!;
  }

  async #readOldestTransaction(): Promise<void> {
    const [oldest] = await this.#shared.database.query<{ s: number | null }>(
      `SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8 AS s FROM pg_stat_activity
       WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
    );
    this.#oldestTransaction = oldest?.s ?? 0;
  }

  of(destination: number): Waiting {
    return this.#waiting.get(destination) ?? nothing;
  }

  /** Whether events are parked for a destination. */
  hasParked(destination: number): boolean {
    return this.#withParked.has(destination);
  }

  /** What cannot be read, and waits for no destination anymore. */
  get setAside(): SetAside {
    return this.#setAside;
  }

  /** Numbers of the destinations for which something waits. */
  get destinations(): number[] {
    return [...this.#waiting.keys()];
  }

  /** How many rows are kept, of one destination or source, or of all. */
  kept(table: Kept, of?: number): number {
    if (of !== undefined) return this.#kept[table].get(of) ?? 0;
    return [...this.#kept[table].values()].reduce((sum, n) => sum + n, 0);
  }

  /** Numbers of the destinations or sources with kept rows. */
  withKept(table: Kept): number[] {
    return [...this.#kept[table].keys()];
  }

  /** The sum of a counter, over all sources and destinations that are not given. */
  count(
    what: string,
    of: { readonly source?: number; readonly destination?: number } = {},
  ): number {
    return this.#counts.reduce((sum, row) => {
      const isOf =
        row.what === what &&
        (of.source === undefined || row.source === of.source) &&
        (of.destination === undefined || row.destination === of.destination);
      return isOf ? sum + row.n : sum;
    }, 0);
  }

  /** The sum of all counters of a source whose names begin so. */
  countsBeginning(prefix: string, source: number): number {
    return this.#counts.reduce(
      (sum, row) => (row.source === source && row.what.startsWith(prefix) ? sum + row.n : sum),
      0,
    );
  }

  /** Age of the oldest transaction of anybody in the database, in seconds. */
  get oldestTransactionSeconds(): number {
    return this.#oldestTransaction;
  }

  get hasCounts(): boolean {
    return this.#counts.length > 0;
  }

  async #readKept(now: number): Promise<void> {
    const { database, schema } = this.#shared;
    this.#keptAt = now;
    const begun = performance.now();
    for (const table of ['dead_letter', 'rejected', 'deletion'] as const) {
      const by = table === 'dead_letter' ? 'destination' : 'source';
      const rows = await database.query<{ by: number; n: number }>(
        `SELECT ${by} AS by, count(*)::int AS n FROM ${schema}.${table} GROUP BY ${by}`,
      );
      this.#kept[table] = new Map(rows.map((row) => [row.by, row.n]));
    }
    const rows = await database.query(
      `SELECT source, destination, what, sum(n) AS n FROM (
         SELECT source, destination, what, n FROM ${schema}.count
         UNION ALL ${countChangesSql(`${schema}.count_change`)}
       ) AS all_counts GROUP BY source, destination, what`,
    );
    this.#counts = rows.map((row) => ({
      source: row.source as number,
      destination: row.destination as number,
      what: row.what as string,
      n: Number(row.n),
    }));
    this.#keptMs = performance.now() - begun;
  }
}

function olderOf(one: Queued | undefined, { id, since }: WaitingRow): Queued {
  return !one || since < one.queuedAt ? { id, queuedAt: since } : one;
}
