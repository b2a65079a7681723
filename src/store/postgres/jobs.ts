import type { Db, PgBoss } from 'pg-boss';
import type { Clock } from '../../clock.js';
import type { Database } from './database.js';
import { HeldJobs, type HeldJob } from './held-jobs.js';
import type { StorePackages } from './packages.js';
import type { Queries, Transaction } from './queries.js';

export type { HeldJob } from './held-jobs.js';

export interface JobsOptions {
  readonly packages: StorePackages;
  /** Where jobs are fetched. A fetch has to outlive a crash: the next holder would have the same `attempt`. */
  readonly database: Database;
  /** Where pg-boss makes its tables and looks for expired jobs, which may take long where there are many. */
  readonly supervision: Database;
  /** That of our tables; pg-boss's are in `<schema>_jobs`. */
  readonly schema: string;
  /** Whether the schema of the jobs is there: making it needs a right on the database even then. */
  readonly hasSchema: boolean;
  /** Whether to look each second for jobs whose heartbeat has expired, so that others get them. */
  readonly supervises: boolean;
  readonly clock: Clock;
}

/** A job that is to be done by whoever takes it. */
export interface NewJob {
  /** A UUID; one that the queue has already is left alone. */
  readonly id?: string;
  readonly data: object;
  /** Milliseconds until it is due. Default 0. */
  readonly delayMs?: number;
}

export interface QueueOptions {
  /** A job that nobody has touched for so long is given to another: at least 10. */
  readonly heartbeatSeconds?: number;
}

export interface FetchOptions {
  /** Also jobs that are not due yet. */
  readonly early?: boolean;
}

const minHeartbeatSeconds = 10;
const forever = 2_000_000_000;
const dayS = 86_400;
const pageSize = 1_000;

/** Queues of jobs: each job is held by one process at a time, and by another when that one dies. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #boss: PgBoss;
  readonly #db: Db;
  readonly #held: HeldJobs;
  readonly #heartbeats = new Map<string, number>();

  constructor(options: JobsOptions) {
    this.#options = options;
    const { packages, supervision, schema, hasSchema, supervises, clock } = options;
    this.#db = adapterOf(options.database);
    this.#boss = new packages.PgBoss({
      db: adapterOf(supervision),
      schema: `${schema}_jobs`,
      createSchema: !hasSchema,
      schedule: false,
      supervise: supervises,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
      registerInstance: false,
      openTelemetry: { enabled: false },
      // Our limit of statements would end it, and our queues stay short.
      reindex: false,
    });
    // The database has noted what is wrong with it, and the next pass does the work of this one.
    this.#boss.on('error', () => undefined);
    this.#held = new HeldJobs(clock, (queue, jobs) => this.#touch(queue, jobs));
  }

  /** Makes pg-boss's tables, and begins to look for expired jobs where it `supervises`. */
  async start(): Promise<void> {
    await this.#boss.start();
    this.#held.start();
  }

  /** One that is there stays as it is. */
  async createQueue(name: string, options: QueueOptions = {}): Promise<void> {
    await this.#boss.createQueue(name, {
      heartbeatSeconds: options.heartbeatSeconds ?? minHeartbeatSeconds,
      expireInSeconds: dayS,
      retryLimit: forever,
      retryDelay: 0,
      retryBackoff: false,
      retentionSeconds: forever,
      deleteAfterSeconds: dayS,
    });
  }

  /** With all of its jobs. */
  async deleteQueue(name: string): Promise<void> {
    await this.#boss.deleteQueue(name);
  }

  /** Within the transaction: without its commit, there is no job. Resolves when the statement is sent. */
  async insert(tx: Transaction, queue: string, jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const rows = jobs.map(({ id, data, delayMs }) => ({
      data,
      ...(id !== undefined && { id }),
      ...(delayMs !== undefined && {
        startAfter: Math.max(0, Math.ceil(delayMs)) / 1_000,
      }),
    }));
    await this.#boss.insert(queue, rows, { db: senderOf(tx) });
  }

  /** Takes jobs that are due, at most `limit`. They are held until they are removed, released or lost. */
  async fetch<T extends object>(
    queue: string,
    limit = 1,
    { early = false }: FetchOptions = {},
  ): Promise<HeldJob<T>[]> {
    const heartbeat = await this.#heartbeatOf(queue);
    const sentAt = this.#options.clock.monotonic();
    const options = { batchSize: limit, ignoreStartAfter: early, db: this.#db };
    const jobs = await withQueue(this.#boss.fetch<T>(queue, options));
    return (jobs ?? []).map(({ id, retryCount, data }) =>
      this.#held.add<T>(queue, { id, attempt: retryCount, data }, sentAt, heartbeat * 1_000),
    );
  }

  /** Ends jobs within a transaction. Returns those that were still ours. */
  async remove<J extends HeldJob>(
    tx: Transaction,
    queue: string,
    jobs: readonly J[],
  ): Promise<J[]> {
    if (jobs.length === 0) return [];
    this.#held.beginRemoval(jobs);
    tx.onEnd((isCommitted) => this.#held.endRemoval(jobs, isCommitted));
    const deleted = this.#boss.deleteJob(queue, attempts(jobs), { db: adapterOf(tx) });
    const response = await withQueue(deleted);
    const removed = settledOf(response, jobs);
    if (removed.length < jobs.length) this.#held.lose(jobs.filter((job) => !removed.includes(job)));
    return removed;
  }

  /** Within a transaction: those that are still ours, and cannot be given to another before its end. */
  async confirm<J extends HeldJob>(
    tx: Transaction,
    queue: string,
    jobs: readonly J[],
  ): Promise<J[]> {
    if (jobs.length === 0) return [];
    const response = await withQueue(
      this.#boss.touch(queue, attempts(jobs), { db: adapterOf(tx) }),
    );
    const ours = settledOf(response, jobs);
    if (ours.length < jobs.length) this.#held.lose(jobs.filter((job) => !ours.includes(job)));
    return ours;
  }

  /** Gives jobs back: another process can take them at once. */
  async release(queue: string, jobs: readonly HeldJob[]): Promise<void> {
    if (jobs.length === 0) return;
    // Also where the server cannot be reached: then it gives them away when their lease has ended.
    this.#held.forget(jobs);
    await withQueue(this.#boss.fail(queue, attempts(jobs), null, { db: this.#db }));
  }

  /** The ids of all jobs of a queue, held or not. */
  async ids(queue: string): Promise<Set<string>> {
    const ids = new Set<string>();
    for (let after: string | undefined; ;) {
      const options = { limit: pageSize, ...(after !== undefined && { after }) };
      const page = (await withQueue(this.#boss.findJobs(queue, options))) ?? [];
      for (const { id } of page) ids.add(id);
      if (page.length < pageSize) return ids;
      after = page.at(-1)!.id;
    }
  }

  /** Jobs that are held are lost: another process gets them when their lease has ended. */
  async close(): Promise<void> {
    this.#held.stop();
    await this.#boss.stop({ graceful: false, close: false }).catch(() => undefined);
  }

  async #touch(queue: string, jobs: readonly HeldJob[]): Promise<HeldJob[]> {
    const touched = this.#boss.touch(queue, attempts(jobs), { db: this.#db });
    return settledOf(await withQueue(touched), jobs);
  }

  async #heartbeatOf(queue: string): Promise<number> {
    const known = this.#heartbeats.get(queue);
    if (known !== undefined) return known;
    const found = await this.#boss.getQueue(queue);
    const seconds = found?.heartbeatSeconds ?? minHeartbeatSeconds;
    this.#heartbeats.set(queue, seconds);
    return seconds;
  }
}

function adapterOf(queries: Queries | Database): Db {
  return {
    executeSql: async (text, values = []) =>
      'execute' in queries
        ? queries.execute(text, values)
        : { rows: await queries.query(text, values) },
  };
}

/** For a statement whose result nobody needs. */
function senderOf(tx: Transaction): Db {
  return {
    executeSql: (text, values = []) => {
      tx.send(text, values);
      return Promise.resolve({ rows: [] });
    },
  };
}

/** Undefined where the queue was deleted: it has no jobs. */
async function withQueue<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (/^Queue \S+ does not exist$/.test((error as Error).message)) return undefined;
    throw error;
  }
}

/** Limits a call to the attempt that we hold. */
function attempts(jobs: readonly HeldJob[]): { id: string; retryCount: number }[] {
  return jobs.map(({ id, attempt }) => ({ id, retryCount: attempt }));
}

/** Those that a call has found; it names them where it is not all or none. */
function settledOf<J extends HeldJob>(response: object | undefined, jobs: readonly J[]): J[] {
  if (!response) return [];
  const { affected, settled } = response as { affected: number; settled?: readonly string[] };
  if (affected === jobs.length) return [...jobs];
  if (affected === 0) return [];
  if (!settled) throw new Error('pg-boss does not say which jobs it has found');
  const ids = new Set(settled);
  return jobs.filter(({ id }) => ids.has(id));
}
