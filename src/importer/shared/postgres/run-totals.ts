import type { ItemCommit } from '../item.js';

/** Workers add to different rows of a total, so that their commits need not wait for each other. */
export const slots = 32;

/** What a commit adds to the totals. */
export function changesOf({ stats, latency }: ItemCommit): [names: string[], values: number[]] {
  const changes = [
    ...Object.entries(stats),
    ...Object.entries(latency).map(([bucket, n]) => [`latency:${bucket}`, n] as const),
  ].filter(([, change]) => change !== 0);
  return [changes.map(([name]) => name), changes.map(([, change]) => change)];
}

/**
 * A statement that adds to the totals. All of them lock the rows in the same order, so that two do not deadlock.
 *
 * @param slot parameter of the statement
 * @param changes a query of `run`, `name` and `value`
 */
export function addToTotals(schema: string, slot: string, changes: string): string {
  return `INSERT INTO ${schema}.run_stat AS stat (run, slot, name, value)
    SELECT run, ${slot}::int, name, sum(value)::bigint FROM (${changes}) AS changes
    GROUP BY run, name ORDER BY run, name
    ON CONFLICT (run, slot, name) DO UPDATE SET value = stat.value + excluded.value`;
}
