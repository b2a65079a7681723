import { UsageError } from '../../errors.js';
import type { StoreAddress } from './address.js';
import { tables } from './migrations.js';
import type { Queries } from './queries.js';

/** Of pg-boss. */
const jobTables = [
  ...['version', 'queue', 'queue_stats', 'job', 'job_common', 'job_dependency'],
  ...['schedule', 'subscription', 'bam', 'warning', 'instance'],
];

interface Found {
  readonly name: string;
  /** Whether it has the column of a table of versions. */
  readonly hasVersion: boolean;
}

/** @throws UsageError where a table of others has a name that ours need: a statement would fail in the middle of them */
export async function refuseForeign(
  queries: Queries,
  { address, schema }: { readonly address: StoreAddress; readonly schema: string },
): Promise<void> {
  for (const [name, marker, names] of [
    [schema, 'schema_version', ['schema_version', ...tables]],
    [`${schema}_jobs`, 'version', jobTables],
  ] as const) {
    const found = await tablesIn(queries, name, names);
    const versions = found.find((table) => table.name === marker);
    // All of them are made in one transaction: the one of versions is never alone.
    if (found.length === 0 || (versions?.hasVersion && found.length > 1)) continue;
    throw new UsageError(
      `${address.named}: the schema ${name} has a table ${found[0]!.name} that is not of evfwd; use another one with --store-schema`,
      'store_schema_foreign',
    );
  }
}

function tablesIn(queries: Queries, schema: string, names: readonly string[]): Promise<Found[]> {
  return queries.query<Found>(
    `SELECT c.relname AS name, a.atttypid IS NOT DISTINCT FROM 'int4'::regtype AS "hasVersion"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'version' AND NOT a.attisdropped
     WHERE n.nspname = $1 AND c.relname = ANY($2) ORDER BY c.relname`,
    [schema, names],
  );
}
