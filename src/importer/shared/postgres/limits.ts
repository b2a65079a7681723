import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import { runScope, takeProbe } from '../../../store/postgres/probes.js';
import {
  endpointRate,
  leaseTurns,
  returnTurns,
  type RateRow,
} from '../../../store/postgres/turns.js';
import type { WorkerReport } from '../run-record.js';
import type { UrlNotice } from '../run-store.js';
import { publish } from './channels.js';
import type { LeaseRequest, TurnLease } from '../../../turn-lease.js';

const forgottenAfterMs = 60_000;

/** What all workers of a run share in time: turns of the rate, probes, what is known of URLs, their reports. */
export class Limits {
  readonly #store: SharedStore;
  readonly #schema: string;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#schema = store.schema;
  }

  lease(run: string, perSecond: number, request: LeaseRequest): Promise<TurnLease> {
    return this.#lease(rateOfRun(run), perSecond, request);
  }

  leaseOf(run: string, url: number, perSecond: number, request: LeaseRequest): Promise<TurnLease> {
    return this.#lease(endpointRate(runScope(run), url), perSecond, request);
  }

  async returnTurns(run: string, perSecond: number, unused: number): Promise<void> {
    const { database } = this.#store;
    await database.whenAvailable(() =>
      returnTurns(database, this.#schema, rateOfRun(run), perSecond, unused),
    );
  }

  #lease(row: RateRow, perSecond: number, request: LeaseRequest): Promise<TurnLease> {
    const { database } = this.#store;
    return database.whenAvailable(() =>
      leaseTurns(database, this.#schema, row, perSecond, request),
    );
  }

  async mayProbe(run: string, url: number): Promise<boolean> {
    const { database } = this.#store;
    return database.whenAvailable(() =>
      takeProbe(database, this.#schema, runScope(run), String(url)),
    );
  }

  /** Of two pauses the one that ends later is kept, of two times at which a URL went down the earlier one. */
  async notify(run: string, url: number, notice: EndpointNotice): Promise<void> {
    const { database } = this.#store;
    const table = `${this.#schema}.run_notice`;
    await database.whenAvailable(() =>
      database.transaction(async (tx) => {
        if (notice.kind === 'up') {
          await tx.query(`DELETE FROM ${table} WHERE run = $1 AND url = $2 AND kind = 'down'`, [
            run,
            url,
          ]);
        } else {
          await tx.query(
            `INSERT INTO ${table} AS known (run, url, kind, at, notice)
             SELECT $1, $2, $3, $4, $5 FROM ${this.#schema}.run WHERE id = $1
             ON CONFLICT (run, url, kind) DO UPDATE SET at = excluded.at, notice = excluded.notice
             WHERE CASE known.kind WHEN 'paused' THEN excluded.at > known.at ELSE excluded.at < known.at END`,
            [run, url, notice.kind, timeOf(notice), JSON.stringify(notice)],
          );
        }
        await publish(tx, this.#schema, run, { kind: 'notice', url, notice });
      }),
    );
  }

  /** Those that still hold, by URL and kind. */
  async notices(run: string): Promise<UrlNotice[]> {
    return this.#query<UrlNotice>(
      `SELECT url, notice FROM ${this.#schema}.run_notice
       WHERE run = $1 AND (kind <> 'paused' OR at > ${this.#schema}.now_ms()) ORDER BY url, kind`,
      [run],
    );
  }

  async report(run: string, { id, items }: WorkerReport): Promise<void> {
    await this.#query(
      `WITH old AS (DELETE FROM ${this.#schema}.run_worker
         WHERE run = $1 AND at < ${this.#schema}.now_ms() - $4)
       INSERT INTO ${this.#schema}.run_worker (run, worker, items, at)
       SELECT id, $2, $3, ${this.#schema}.now_ms() FROM ${this.#schema}.run WHERE id = $1
       ON CONFLICT (run, worker) DO UPDATE SET items = excluded.items, at = excluded.at`,
      [run, id, items, forgottenAfterMs],
    );
  }

  async leave(run: string, worker: string): Promise<void> {
    await this.#store.database.query(
      `DELETE FROM ${this.#schema}.run_worker WHERE run = $1 AND worker = $2`,
      [run, worker],
    );
  }

  #query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const { database } = this.#store;
    return database.whenAvailable(() => database.query<Row>(text, values));
  }
}

function rateOfRun(run: string): RateRow {
  return { table: 'run_rate', key: { run } };
}

function timeOf(notice: EndpointNotice): number {
  if (notice.kind === 'paused') return notice.untilMs;
  return notice.kind === 'down' ? notice.sinceMs : 0;
}
