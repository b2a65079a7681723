import type { Queries } from './queries.js';

/** One probe a second of a URL that is down, over all processes. */
const probeEveryMs = 1_000;

/**
 * Whether this process may probe a URL now. A probe that is far ahead is from before the clock of the server was set back.
 * @param scope whose URL it is: a run, or a destination
 */
export async function takeProbe(
  queries: Queries,
  schema: string,
  scope: string,
  url: string,
): Promise<boolean> {
  const rows = await queries.query(
    `INSERT INTO ${schema}.probe (scope, url, at) VALUES ($1, $2, ${schema}.now_ms())
     ON CONFLICT (scope, url) DO UPDATE SET at = excluded.at
     WHERE probe.at <= excluded.at - $3 OR probe.at > excluded.at + $3
     RETURNING at`,
    [scope, url, probeEveryMs],
  );
  return rows.length > 0;
}

/** Deletes the times of the last probes of a run or a destination. */
export async function forgetProbes(queries: Queries, schema: string, scope: string): Promise<void> {
  await queries.query(`DELETE FROM ${schema}.probe WHERE scope = $1`, [scope]);
}

/** The scope of a run. */
export function runScope(run: string): string {
  return `run ${run}`;
}

/** The scope of a destination of a service. */
export function destinationScope(destination: string): string {
  return `destination ${destination}`;
}
