import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import { runScope, takeProbe } from '../../../store/postgres/probes.js';
import type { WorkerReport } from '../run-record.js';
import type { RateLease, UrlNotice } from '../run-store.js';
import { publish } from './channels.js';

/** A lease is worth 10 ms, so that a second is shared fairly, but not one round trip per event. */
const leasesPerSecond = 100;
const maxTurns = 1_000;
const forgottenAfterMs = 60_000;

/** What all workers of a run share in time: turns of the rate, probes, what is known of URLs, their reports. */
export class Limits {
  readonly #store: SharedStore;
  readonly #schema: string;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#schema = store.schema;
  }

  async lease(run: string, perSecond: number, unused: number): Promise<RateLease> {
    const turns = Math.max(1, Math.min(maxTurns, Math.floor(perSecond / leasesPerSecond)));
    const inMs = await this.#take(run, perSecond, turns, unused);
    return { inMs, turns, intervalMs: 1_000 / perSecond };
  }

  async returnTurns(run: string, perSecond: number, unused: number): Promise<void> {
    await this.#take(run, perSecond, 0, unused);
  }

  /**
   * Takes the next turns of a schedule by the clock of the server, and returns when the first one is. `due` is
   * when the next turn is by the rate alone, `free` when it may be. Turns that nobody used, and up to half
   * a second in which nobody asked, are caught up at 3 % above the rate. A schedule too far ahead is from
   * before the clock was set back.
   */
  async #take(run: string, perSecond: number, turns: number, unused: number): Promise<number> {
    const table = `${this.#schema}.run_rate`;
    const intervalMs = 1_000 / perSecond;
    const values = [
      run,
      turns * intervalMs,
      unused * intervalMs,
      Math.max(10_000, 1_000 * intervalMs),
    ];
    const [row] = await this.#query<{ inMs: number }>(
      `INSERT INTO ${table} AS rate (run, due, free, first)
       SELECT $1, now + $2::float8, now + $2::float8 / 1.03, now FROM (SELECT ${this.#schema}.now_ms() AS now) AS clock
       ON CONFLICT (run) DO UPDATE SET (due, free, first) = (
         SELECT next.due + $2::float8,
           CASE WHEN $2::float8 > 0 THEN next.first + $2::float8 / 1.03 ELSE next.free END, next.first
         FROM (
           SELECT due, free, greatest(now, due, free) AS first FROM (
             SELECT now, free, greatest(due - $3::float8, now - 500) AS due FROM (
               SELECT now,
                 CASE WHEN greatest(rate.due, rate.free) > now + $4::float8 THEN now ELSE rate.due END AS due,
                 CASE WHEN greatest(rate.due, rate.free) > now + $4::float8 THEN now ELSE rate.free END AS free
               FROM (SELECT ${this.#schema}.now_ms() AS now) AS clock
             ) AS stored
           ) AS credited
         ) AS next)
       RETURNING greatest(0, first - ${this.#schema}.now_ms()) AS "inMs"`,
      values,
    );
    return row!.inMs;
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

function timeOf(notice: EndpointNotice): number {
  if (notice.kind === 'paused') return notice.untilMs;
  return notice.kind === 'down' ? notice.sinceMs : 0;
}
