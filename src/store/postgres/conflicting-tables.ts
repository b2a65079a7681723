import { UsageError } from '../../errors.js';
import type { StoreAddress } from './address.js';
import { tableNames } from './migrations.js';
import type { Queries } from './queries.js';

/** Names of the tables of pg-boss 12. */
const jobTables = [
  ...['version', 'queue', 'queue_stats', 'job', 'job_common', 'job_dependency'],
  ...['schedule', 'subscription', 'bam', 'warning', 'instance'],
];

interface Found {
  readonly name: string;
  /** Whether it has an integer column `version`, as the version tables of evfwd and pg-boss have. */
  readonly hasVersion: boolean;
}

/**
 * Refuses schemas where another program has a table whose name evfwd or pg-boss uses: creating ours would fail halfway.
 *
 * @throws UsageError
 */
export async function refuseConflictingTables(
  queries: Queries,
  { address, schema }: { readonly address: StoreAddress; readonly schema: string },
): Promise<void> {
  for (const [name, marker, names] of [
    [schema, 'schema_version', ['schema_version', ...tableNames]],
    [`${schema}_jobs`, 'version', jobTables],
  ] as const) {
    const found = await tablesIn(queries, name, names);
    const versions = found.find((table) => table.name === marker);
    // evfwd and pg-boss each create their tables in one transaction, so their version table is never alone.
    if (found.length === 0 || (versions?.hasVersion && found.length > 1)) continue;
    throw new UsageError(
      `${address.named}: the schema ${name} has a table ${found[0]!.name} that is not from evfwd; pass another schema with --store-schema`,
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
