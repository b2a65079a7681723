import { randomBytes, randomUUID } from 'node:crypto';
import { chunksOf } from '../../../collections/chunks.js';
import { StateError, UsageError } from '../../../errors.js';
import { printable } from '../../../output/printable.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import { forgetProbes, runScope } from '../../../store/postgres/probes.js';
import { forgetRates } from '../../../store/postgres/turns.js';
import type { Queries, Transaction } from '../../../store/postgres/queries.js';
import { StoreUnavailable } from '../../../store/postgres/unavailable.js';
import type { FailureLimit } from '../../stop-rule.js';
import { publicHashOf } from '../identity.js';
import type { RangeItem } from '../item.js';
import { bytesWithFiles } from '../json-with-files.js';
import { countRanges, rangesOf } from '../plan-ranges.js';
import { foreignPlan, planFormat, type Plan } from '../plan.js';
import { isOpen, type RunHead, type RunRecord, type RunStatus } from '../run-record.js';
import { publish, queueOf } from './channels.js';

/** Parts that are stored with one statement. */
const chunkLength = 1_000;
/** Takeover of a dead worker's items is promised within 20 s; a server that restarts should not be one. */
const heartbeatSeconds = 15;
const keptMs = 7 * 24 * 60 * 60 * 1_000;
const removedAtOnce = 10_000;

/** Makes runs, finds them, and changes their status. */
export class Runs {
  readonly #store: SharedStore;
  readonly #schema: string;
  /** A plan never changes and may be long, so it is read once and kept while its run is open. */
  readonly #plans = new Map<string, Plan>();

  constructor(store: SharedStore) {
    this.#store = store;
    this.#schema = store.schema;
  }

  async plan(
    identity: string,
    plan: Plan,
    name: string,
    isFresh: boolean,
    checkNew?: () => void,
  ): Promise<RunRecord> {
    const { database } = this.#store;
    const id = runId(name);
    try {
      return await database.whenAvailable(
        async () => {
          const found = isFresh ? undefined : await this.#current(database, identity);
          if (found !== undefined) return this.get(found);
          checkNew?.();
          // Before the transaction, which it is no part of; without a run, it is nothing but a name.
          for (const kind of ['ranges', 'retries'] as const) {
            await this.#store.jobs.createQueue(queueOf(id, kind), { heartbeatSeconds });
          }
          const run = await database.transaction((tx) =>
            this.#make(tx, identity, plan, id, isFresh),
          );
          return this.get(run);
        },
        { waitsForRefusal: false },
      );
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      throw new StateError(
        `cannot write the plan: ${this.#store.name} refuses it: ${error.reason}; run the same command again when that is fixed`,
        { cause: error },
      );
    }
  }

  /** One planner at a time makes the run of an import; the others find it. */
  async #make(
    tx: Transaction,
    identity: string,
    plan: Plan,
    id: string,
    isFresh: boolean,
  ): Promise<string> {
    const schema = this.#schema;
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [
      `${schema} ${identity}`,
    ]);
    const current = await this.#current(tx, identity);
    if (current !== undefined && (!isFresh || current === id)) return current;
    if (current !== undefined) {
      await this.#setStatus(tx, current, 'cancelled', ['running', 'paused']);
      await tx.query(`UPDATE ${schema}.run SET is_current = false WHERE id = $1`, [current]);
    }
    const { files, ...rest } = plan;
    await tx.query(
      `INSERT INTO ${schema}.run (id, identity, public_hash, plan, total, created_at)
       VALUES ($1, $2, $3, $4, $5, ${schema}.now_ms())`,
      [...[id, identity, publicHashOf(plan), bytesWithFiles(() => files, rest)], countRanges(plan)],
    );
    for (const chunk of chunksOf(rangesOf(plan), chunkLength)) await this.#addParts(tx, id, chunk);
    await publish(tx, schema, id, { kind: 'status' });
    this.#plans.set(id, plan);
    return id;
  }

  async #addParts(
    tx: Transaction,
    run: string,
    parts: readonly (readonly [id: string, item: RangeItem])[],
  ): Promise<void> {
    const jobs = parts.map(([id]) => ({ id: randomUUID(), data: { id } }));
    await tx.query(
      `INSERT INTO ${this.#schema}.part (run, id, job, file, from_byte, to_byte)
       SELECT $1, * FROM unnest($2::text[], $3::uuid[], $4::int[], $5::bigint[], $6::bigint[])`,
      [
        run,
        parts.map(([id]) => id),
        jobs.map(({ id }) => id),
        parts.map(([, { file }]) => file),
        parts.map(([, { from }]) => from),
        parts.map(([, { to }]) => to),
      ],
    );
    await this.#store.jobs.insert(tx, queueOf(run, 'ranges'), jobs);
  }

  async #current(queries: Queries, identity: string): Promise<string | undefined> {
    const [row] = await queries.query<{ id: string }>(
      `SELECT id FROM ${this.#schema}.run WHERE identity = $1 AND is_current`,
      [identity],
    );
    return row?.id;
  }

  /** Oldest first. */
  async list(): Promise<RunHead[]> {
    const rows = await this.#query<RunRow>(
      `SELECT ${headColumns} FROM ${this.#schema}.run ORDER BY created_at, id`,
    );
    const heads = rows.map(headOf);
    const open = new Set(heads.filter((head) => isOpen(head)).map(({ id }) => id));
    for (const run of this.#plans.keys()) if (!open.has(run)) this.#plans.delete(run);
    return heads;
  }

  async find(run: string): Promise<RunRecord | undefined> {
    const known = this.#plans.get(run);
    const [row] = await this.#query<RunRow & { plan: string | null }>(
      `SELECT ${headColumns}, ${known ? 'NULL AS plan' : 'plan'} FROM ${this.#schema}.run WHERE id = $1`,
      [run],
    );
    if (!row) return undefined;
    const plan = known ?? planOf(row.plan ?? '');
    this.#plans.set(run, plan);
    // A stopped run may go on with another limit.
    return { ...headOf(row), plan: row.stopAfter ? { ...plan, stopAfter: row.stopAfter } : plan };
  }

  /** @throws UsageError when it is not there */
  async get(run: string): Promise<RunRecord> {
    const record = await this.find(run);
    if (record) return record;
    throw new UsageError(
      `there is no run ${printable(run)} on ${this.#store.name}; see evfwd runs`,
      'run_not_found',
    );
  }

  async pause(run: string, stopReason: string | null): Promise<boolean> {
    return this.#change(run, 'paused', ['running'], { stopReason });
  }

  async resume(run: string, stopAfter?: FailureLimit): Promise<boolean> {
    return this.#change(run, 'running', ['paused'], { stopAfter });
  }

  async cancel(run: string): Promise<boolean> {
    return this.#change(run, 'cancelled', ['running', 'paused']);
  }

  /** As the transaction may have been committed when its answer was lost, the wanted status counts, too. */
  #change(
    run: string,
    status: RunStatus,
    from: readonly RunStatus[],
    details: StatusDetails = {},
  ): Promise<boolean> {
    const { database } = this.#store;
    let isRepeated = false;
    return database.whenAvailable(() => {
      const mayBe = isRepeated ? [...from, status] : from;
      isRepeated = true;
      return database.transaction((tx) => this.#setStatus(tx, run, status, mayBe, details));
    });
  }

  async #setStatus(
    tx: Queries,
    run: string,
    status: RunStatus,
    from: readonly RunStatus[],
    { stopReason, stopAfter }: StatusDetails = {},
  ): Promise<boolean> {
    const schema = this.#schema;
    const changed = await tx.query(
      `UPDATE ${schema}.run SET status = $2, stop_reason = $3,
         stop_after = coalesce($4::jsonb, stop_after),
         ended_at = CASE WHEN $2 = 'cancelled' THEN ${schema}.now_ms() ELSE ended_at END,
         stats_at_resume = CASE WHEN $2 = 'running' THEN
           (SELECT coalesce(jsonb_object_agg(name, total), '{}') FROM (
             SELECT name, sum(value) AS total FROM ${schema}.run_stat
             WHERE run = $1 AND name NOT LIKE 'latency:%' GROUP BY name) AS totals)
           ELSE stats_at_resume END
       WHERE id = $1 AND status = ANY ($5) RETURNING id`,
      [run, status, stopReason ?? null, stopAfter ? JSON.stringify(stopAfter) : null, from],
    );
    if (changed.length === 0) return false;
    if (status === 'running') await this.#forgetDown(tx, run);
    await publish(tx, schema, run, { kind: 'status' });
    return true;
  }

  /** What was down may be up by now, and is tried at once. */
  async #forgetDown(tx: Queries, run: string): Promise<void> {
    await tx.query(`DELETE FROM ${this.#schema}.run_notice WHERE run = $1 AND kind = 'down'`, [
      run,
    ]);
  }

  async finishIfDone(run: string): Promise<boolean> {
    const schema = this.#schema;
    const rows = await this.#query<{ changed: boolean }>(
      `WITH done AS (
         UPDATE ${schema}.run SET status = 'finished', ended_at = ${schema}.now_ms()
         WHERE id = $1 AND status = 'running'
           AND NOT EXISTS (SELECT FROM ${schema}.part WHERE run = $1 AND state = 'open')
           AND NOT EXISTS (SELECT FROM ${schema}.retry WHERE run = $1 AND reason IS NULL)
         RETURNING id)
       SELECT true AS changed FROM done
       UNION ALL SELECT false FROM ${schema}.run WHERE id = $1 AND status = 'finished'`,
      [run],
    );
    if (rows.some(({ changed }) => changed)) {
      await publish(this.#store.database, schema, run, { kind: 'status' }).catch(() => undefined);
    }
    return rows.length > 0;
  }

  /** Lets a finished run that has something to do again go on. */
  async reopen(tx: Queries, run: string): Promise<void> {
    const schema = this.#schema;
    await tx.query(
      `UPDATE ${schema}.run SET status = 'running', ended_at = NULL
       WHERE id = $1 AND status = 'finished'`,
      [run],
    );
    await this.#forgetDown(tx, run);
    await publish(tx, schema, run, { kind: 'status' });
  }

  async remove(run: string): Promise<void> {
    const { status } = await this.get(run);
    if (status === 'running') {
      throw new UsageError(
        `run ${run} is running; stop it first: evfwd runs cancel ${run}`,
        'run_is_running',
      );
    }
    await this.#store.database.whenAvailable(() => this.#remove(run));
  }

  /** The jobs first: no worker takes an item whose run is not there any more. */
  async #remove(run: string): Promise<void> {
    const { database, jobs } = this.#store;
    await jobs.deleteQueue(queueOf(run, 'ranges'));
    await jobs.deleteQueue(queueOf(run, 'retries'));
    for (const table of ['run_dead_letter', 'part']) await this.#empty(table, run);
    await database.transaction(async (tx) => {
      for (const table of ['run_worker', 'run_rate']) {
        await tx.query(`DELETE FROM ${this.#schema}.${table} WHERE run = $1`, [run]);
      }
      await forgetProbes(tx, this.#schema, runScope(run));
      await forgetRates(tx, this.#schema, runScope(run));
      await tx.query(`DELETE FROM ${this.#schema}.run WHERE id = $1`, [run]);
    });
    this.#plans.delete(run);
  }

  /** A store that cannot do it now is left as it is: whoever comes next removes these runs. */
  async removeExpired(): Promise<void> {
    const expired = await this.#store.database.query<{ id: string }>(
      `SELECT id FROM ${this.#schema}.run WHERE ended_at < ${this.#schema}.now_ms() - $1
         AND status IN ('finished', 'cancelled')`,
      [keptMs],
    );
    // One that cannot be removed now must not keep the others.
    for (const { id } of expired) await this.#remove(id).catch(() => undefined);
  }

  /** In steps: all rows of a large run would take one statement longer than it may. */
  async #empty(table: string, run: string): Promise<void> {
    const rows = `${this.#schema}.${table}`;
    const text = `WITH deleted AS (
        DELETE FROM ${rows} WHERE ctid IN (SELECT ctid FROM ${rows} WHERE run = $1 LIMIT ${removedAtOnce})
        RETURNING 1)
      SELECT count(*)::int AS n FROM deleted`;
    for (let deleted = removedAtOnce; deleted === removedAtOnce;) {
      const [row] = await this.#store.database.query<{ n: number }>(text, [run]);
      deleted = row!.n;
    }
  }

  #query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { database } = this.#store;
    return database.whenAvailable(() => database.query<Row>(text, values));
  }
}

/** What changes with the status of a run. */
interface StatusDetails {
  readonly stopReason?: string | null;
  readonly stopAfter?: FailureLimit | undefined;
}

interface RunRow extends Omit<RunHead, 'publicHash'> {
  readonly publicHash: string;
  readonly stopAfter: FailureLimit | null;
}

const headColumns = `id, public_hash AS "publicHash", status, stop_reason AS "stopReason", total,
  created_at AS "createdAt", ended_at AS "endedAt", stop_after AS "stopAfter"`;

function headOf(row: RunRow): RunHead {
  const { id, publicHash, status, stopReason, total, createdAt, endedAt } = row;
  return { id, publicHash, status, stopReason, total, createdAt, endedAt };
}

/** Of a plan of another format, only what messages need. */
function planOf(text: string): Plan {
  const plan = JSON.parse(text) as Plan;
  return plan.format === planFormat ? plan : foreignPlan(plan.format, plan.program);
}

const maxNameLength = 24;

/** `history-k3f9c02d`: of the name only what a shell and a queue take as it is. */
function runId(name: string): string {
  const short = name
    // `naive` for `naïve`.
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-+|-+$/g, '');
  return `${short || 'import'}-${randomBytes(4).toString('hex')}`;
}
