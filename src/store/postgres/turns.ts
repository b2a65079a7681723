import type { LeaseRequest, TurnLease } from '../../turn-lease.js';
import type { Queries } from './queries.js';

/** A rate is the row of a table with the columns `due`, `free` and `first`; its key has these columns and values. */
export interface RateRow {
  readonly table: string;
  readonly key: Readonly<Record<string, string>>;
}

/** How many turns the schedule of an endpoint may be ahead: a batch uses up one for each of its up to 10,000 events. */
const largestBatches = 20_000;

/** Takes the next turns of a rate, as many as requested. */
export async function leaseTurns(
  queries: Queries,
  schema: string,
  row: RateRow,
  perSecond: number,
  { turns, unused }: LeaseRequest,
): Promise<TurnLease> {
  const inMs = await take(queries, schema, row, { perSecond, turns, unused });
  return { inMs, turns, intervalMs: 1_000 / perSecond };
}

/** Returns turns that nobody will use. */
export async function returnTurns(
  queries: Queries,
  schema: string,
  row: RateRow,
  perSecond: number,
  unused: number,
): Promise<void> {
  await take(queries, schema, row, { perSecond, turns: 0, unused });
}

interface Taken extends LeaseRequest {
  readonly perSecond: number;
}

/**
 * Takes the next turns of a schedule by the clock of the server, and returns when the first one is. `due` is
 * when the next turn is by the rate alone, `free` when it may be. Turns that nobody used, and up to half
 * a second in which nobody asked, are caught up at 3 % above the rate. A schedule too far ahead is from
 * before the clock was set back.
 */
async function take(
  queries: Queries,
  schema: string,
  { table, key }: RateRow,
  { perSecond, turns, unused }: Taken,
): Promise<number> {
  const intervalMs = 1_000 / perSecond;
  const columns = Object.keys(key);
  const values = [
    turns * intervalMs,
    unused * intervalMs,
    Math.max(10_000, (table === 'endpoint_rate' ? largestBatches : 1_000) * intervalMs),
    ...Object.values(key),
  ];
  const placed = columns.map((_, index) => `$${index + 4}`).join(', ');
  const names = columns.join(', ');
  const [row] = await queries.query<{ inMs: number }>(
    `INSERT INTO ${schema}.${table} AS rate (${names}, due, free, first)
     SELECT ${placed}, now + $1::float8, now + $1::float8 / 1.03, now FROM (SELECT ${schema}.now_ms() AS now) AS clock
     ON CONFLICT (${names}) DO UPDATE SET (due, free, first) = (
       SELECT next.due + $1::float8,
         CASE WHEN $1::float8 > 0 THEN next.first + $1::float8 / 1.03 ELSE next.free END, next.first
       FROM (
         SELECT due, free, greatest(now, due, free) AS first FROM (
           SELECT now, free, greatest(due - $2::float8, now - 500) AS due FROM (
             SELECT now,
               CASE WHEN greatest(rate.due, rate.free) > now + $3::float8 THEN now ELSE rate.due END AS due,
               CASE WHEN greatest(rate.due, rate.free) > now + $3::float8 THEN now ELSE rate.free END AS free
             FROM (SELECT ${schema}.now_ms() AS now) AS clock
           ) AS stored
         ) AS credited
       ) AS next)
     RETURNING greatest(0, first - ${schema}.now_ms()) AS "inMs"`,
    values,
  );
  return row!.inMs;
}

/** The row of the rate of a URL, by its index, of a run or a destination. */
export function endpointRate(scope: string, url: number): RateRow {
  return { table: 'endpoint_rate', key: { scope, url: String(url) } };
}

/** Deletes the rates of the URLs of a run or a destination. */
export async function forgetRates(queries: Queries, schema: string, scope: string): Promise<void> {
  await queries.query(`DELETE FROM ${schema}.endpoint_rate WHERE scope = $1`, [scope]);
}
