import { randomInt, randomUUID } from 'node:crypto';
import type { RetryRow } from '../../../ledger/retry-row.js';
import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import type { Queries, Transaction } from '../../../store/postgres/queries.js';
import type {
  CommitResult,
  ItemCommit,
  ItemKind,
  ItemProgress,
  ItemRef,
  RangeItem,
  RetryBatch,
  StatChanges,
  TakenItem,
} from '../item.js';
import type { UnfinishedRange } from '../run-store.js';
import { queueOf } from './channels.js';
import { PartCommits } from './part-commits.js';
import { addToTotals, changesOf, slots } from './run-totals.js';

/** Dead letters that are read at once; what reads them shows, writes or compares them one by one. */
const maxLetterBytes = 1_000_000;

/** Hands out the items of runs, and stores what becomes of them. */
export class Items {
  readonly #store: SharedStore;
  readonly #schema: string;
  readonly #slot = randomInt(slots);
  readonly #partCommits: PartCommits;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#schema = store.schema;
    this.#partCommits = new PartCommits(store.database, store.schema, this.#slot);
  }

  async take(run: string, kind: ItemKind, limit: number): Promise<TakenItem[]> {
    const { database, jobs } = this.#store;
    const queue = queueOf(run, kind);
    // Ranges are due at once, also by a clock that was set back since.
    const early = kind === 'ranges';
    const taken = await database.whenAvailable(() =>
      jobs.fetch<{ id: string }>(queue, limit, { early }),
    );
    if (taken.length === 0) return [];
    const rows = await this.#query<ItemRow>(
      kind === 'ranges'
        ? `UPDATE ${this.#schema}.part AS part SET taken = taking.attempt
           FROM unnest($2::text[], $3::uuid[], $4::int[]) AS taking (id, job, attempt)
           WHERE run = $1 AND part.id = taking.id AND part.job = taking.job AND state = 'open'
           RETURNING part.job, part.attempt, file, from_byte AS "from", to_byte AS "to", progress`
        : `SELECT retry.job, retry.attempt, file, NULL AS "from", NULL AS "to", NULL AS progress
           FROM ${this.#schema}.retry AS retry
           JOIN unnest($2::text[], $3::uuid[], $4::int[]) AS taking (id, job, attempt)
             USING (id, job)
           WHERE run = $1 AND reason IS NULL`,
      [
        run,
        taken.map(({ data }) => data.id),
        taken.map(({ id }) => id),
        taken.map(({ attempt }) => attempt),
      ],
    );
    const byJob = new Map(rows.map((row) => [row.job, row]));
    const items: TakenItem[] = [];
    for (const job of taken) {
      const row = byJob.get(job.id);
      const ref = { run, kind, id: job.data.id, job };
      // Put back under another job, or removed with its run.
      if (!row) await this.#drop(ref);
      else items.push({ ref, ...takenOf(row, kind, job.attempt) });
    }
    return items;
  }

  /** Safe to repeat: a commit that is stored, and whose response was lost, is `stored` again. */
  async commit(item: ItemRef, commit: ItemCommit): Promise<CommitResult> {
    const isPlain = commit.putRetries.size === 0 && commit.deadLetters.length === 0;
    if (item.kind === 'ranges' && isPlain)
      return this.#whileOurs(item.job, () => this.#partCommits.store(item, commit));
    return this.#fenced(item, async (tx) => {
      if (!(await this.#storeProgress(tx, item, commit))) return;
      await this.#putRetries(tx, item, commit);
      await this.#addDeadLetters(tx, item.run, commit.deadLetters);
      await this.#addStats(tx, item.run, commit);
    });
  }

  async end(item: ItemRef): Promise<CommitResult> {
    const { run, kind, id } = item;
    return this.#fenced(
      item,
      async (tx) => {
        if (kind === 'retries') return;
        await tx.query(
          `UPDATE ${this.#schema}.part SET state = 'done' WHERE run = $1 AND id = $2`,
          [run, id],
        );
      },
      true,
    );
  }

  async fail(item: ItemRef, reason: string): Promise<CommitResult> {
    const { run, kind, id } = item;
    const text =
      kind === 'ranges'
        ? `UPDATE ${this.#schema}.part SET state = 'failed', reason = $3 WHERE run = $1 AND id = $2`
        : `UPDATE ${this.#schema}.retry SET reason = $3 WHERE run = $1 AND id = $2`;
    return this.#fenced(
      item,
      async (tx) => {
        await tx.query(text, [run, id, reason]);
      },
      true,
    );
  }

  async giveBack({ run, kind, id, job }: ItemRef): Promise<void> {
    const { database, jobs } = this.#store;
    const table = kind === 'ranges' ? 'part' : 'retry';
    // It was not taken away: the next one to have it begins to count anew.
    await database.query(
      `UPDATE ${this.#schema}.${table} SET attempt = $3 WHERE run = $1 AND id = $2 AND job = $4`,
      [run, id, job.attempt + 1, job.id],
    );
    await jobs.release(queueOf(run, kind), [job]);
  }

  async retryBatch(run: string, id: string): Promise<RetryBatch | undefined> {
    const [row] = await this.#query<{ dueAt: number; rows: string }>(
      `SELECT due_at AS "dueAt", rows FROM ${this.#schema}.retry WHERE run = $1 AND id = $2`,
      [run, id],
    );
    return row && { dueAt: row.dueAt, rows: rowsOf(row.rows) };
  }

  async unfinished(run: string): Promise<UnfinishedRange[]> {
    const rows = await this.#query<RangeItem & { counts: StatChanges | null }>(
      `SELECT file, from_byte AS "from", to_byte AS "to", progress->'counts' AS counts
       FROM ${this.#schema}.part WHERE run = $1 AND state = 'open' ORDER BY file, from_byte`,
      [run],
    );
    return rows.map(({ counts, ...item }) => ({ item, counts: counts ?? {} }));
  }

  async deadLetters(run: string, start: number, limit: number): Promise<Buffer[]> {
    if (limit <= 0) return [];
    const rows = await this.#query<{ line: Buffer }>(
      `SELECT line FROM (
         SELECT n, line, sum(length(line)) OVER (ORDER BY n) - length(line) AS before
         FROM (SELECT n, line FROM ${this.#schema}.run_dead_letter
           WHERE run = $1 AND n >= $2 ORDER BY n LIMIT $3) AS page
       ) AS summed WHERE before < $4 ORDER BY n`,
      [run, start, limit, maxLetterBytes],
    );
    return rows.map(({ line }) => line);
  }

  /**
   * Does the work in one transaction while the item is ours, and removes its job if it ends. Waits for the
   * store as long as the item is not lost.
   */
  async #fenced(
    { run, kind, job }: ItemRef,
    work: (tx: Transaction) => Promise<void>,
    ends = false,
  ): Promise<CommitResult> {
    const { database, jobs } = this.#store;
    const queue = queueOf(run, kind);
    return this.#whileOurs(job, () =>
      database.transaction(async (tx) => {
        const ours = ends
          ? await jobs.remove(tx, queue, [job])
          : await jobs.confirm(tx, queue, [job]);
        if (ours.length === 0) return 'lost';
        await work(tx);
        return 'stored';
      }),
    );
  }

  async #whileOurs({ lost }: HeldJob, work: () => Promise<CommitResult>): Promise<CommitResult> {
    try {
      return await this.#store.database.whenAvailable(
        () => {
          lost.throwIfAborted();
          return work();
        },
        { signal: lost },
      );
    } catch (error) {
      if (lost.aborted) return 'lost';
      throw error;
    }
  }

  /** False if this commit was stored before. */
  async #storeProgress(
    tx: Queries,
    { run, kind, id, job }: ItemRef,
    { progress, putRetries, deleteRetry }: ItemCommit,
  ): Promise<boolean> {
    if (kind === 'ranges') {
      const stored = await tx.query(
        `UPDATE ${this.#schema}.part SET progress = $3, attempt = $4
         WHERE run = $1 AND id = $2 AND coalesce((progress->>'sequence')::int, 0) < $5 RETURNING id`,
        [run, id, JSON.stringify(progress), job.attempt, progress.sequence],
      );
      return stored.length > 0;
    }
    // A batch says by itself whether its commit was stored: it is gone, or has other events.
    const rest = deleteRetry === undefined ? putRetries.get(id) : undefined;
    const text = rest && rowsText(rest.rows);
    const stored = await tx.query(
      rest
        ? `UPDATE ${this.#schema}.retry SET rows = $3, attempt = $4
           WHERE run = $1 AND id = $2 AND rows <> $3 RETURNING id`
        : `DELETE FROM ${this.#schema}.retry WHERE run = $1 AND id = $2 RETURNING id`,
      rest ? [run, id, text, job.attempt] : [run, id],
    );
    return stored.length > 0;
  }

  async #putRetries(tx: Transaction, item: ItemRef, { putRetries }: ItemCommit): Promise<void> {
    const batches = [...putRetries]
      .filter(([id]) => item.kind === 'ranges' || id !== item.id)
      .map(([id, { dueAt, rows }]) => ({ id, job: randomUUID(), dueAt: Math.ceil(dueAt), rows }));
    if (batches.length === 0) return;
    tx.send(
      `INSERT INTO ${this.#schema}.retry (run, id, job, file, due_at, rows)
       SELECT $1, * FROM unnest($2::text[], $3::uuid[], $4::int[], $5::float8[], $6::text[])`,
      [
        item.run,
        batches.map(({ id }) => id),
        batches.map(({ job }) => job),
        batches.map(({ rows }) => rows[0]?.file ?? 0),
        batches.map(({ dueAt }) => dueAt),
        batches.map(({ rows }) => rowsText(rows)),
      ],
    );
    const { database, jobs } = this.#store;
    const now = database.now();
    await jobs.insert(
      tx,
      queueOf(item.run, 'retries'),
      batches.map(({ id, job, dueAt }) => ({
        id: job,
        data: { id },
        delayMs: Math.max(0, dueAt - now),
      })),
    );
  }

  /** Numbered under a lock of the run, so that whoever reads them by number misses none. */
  async #addDeadLetters(tx: Queries, run: string, lines: readonly Uint8Array[]): Promise<void> {
    if (lines.length === 0) return;
    await tx.query(
      `WITH counted AS (UPDATE ${this.#schema}.run SET dead_letters = dead_letters + $3
         WHERE id = $1 RETURNING dead_letters - $3 AS first)
       INSERT INTO ${this.#schema}.run_dead_letter (run, n, line)
       SELECT $1, counted.first + line.n - 1, line.line
       FROM counted, unnest($2::bytea[]) WITH ORDINALITY AS line (line, n)`,
      [run, lines.map((line) => Buffer.from(line)), lines.length],
    );
  }

  /** Last, so that the rows of the totals are not locked for long. */
  async #addStats(tx: Queries, run: string, commit: ItemCommit): Promise<void> {
    const [names, values] = changesOf(commit);
    if (names.length === 0) return;
    const changes = `SELECT $1::text AS run, name, value
      FROM unnest($3::text[], $4::bigint[]) AS change (name, value)`;
    await tx.query(addToTotals(this.#schema, '$2', changes), [run, this.#slot, names, values]);
  }

  async #drop({ run, kind, job }: ItemRef): Promise<void> {
    const { database, jobs } = this.#store;
    const queue = queueOf(run, kind);
    await database.whenAvailable(() => database.transaction((tx) => jobs.remove(tx, queue, [job])));
  }

  #query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const { database } = this.#store;
    return database.whenAvailable(() => database.query<Row>(text, values));
  }
}

interface ItemRow {
  readonly job: string;
  readonly attempt: number;
  readonly file: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly progress: ItemProgress | null;
}

function takenOf(row: ItemRow, kind: ItemKind, attempt: number): Omit<TakenItem, 'ref'> {
  const { file, from, to, progress } = row;
  return {
    range: kind === 'ranges' ? { file, from: from ?? 0, to } : undefined,
    progress: progress ?? undefined,
    takeovers: attempt - row.attempt,
  };
}

/** Texts of events in Base64, a third longer than they are. */
type StoredRow = Omit<RetryRow, 'text'> & { readonly text: string | null };

function rowsText(rows: readonly RetryRow[]): string {
  const stored: StoredRow[] = rows.map((row) => ({
    ...row,
    text: row.text?.toString('base64') ?? null,
  }));
  return JSON.stringify(stored);
}

function rowsOf(text: string): RetryRow[] {
  const rows = JSON.parse(text) as StoredRow[];
  return rows.map((row) => ({
    ...row,
    text: row.text === null ? null : Buffer.from(row.text, 'base64'),
  }));
}
