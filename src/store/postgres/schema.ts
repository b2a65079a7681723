import { setTimeout as wait } from 'node:timers/promises';
import { UsageError } from '../../errors.js';
import type { StoreAddress } from './address.js';
import type { Database } from './database.js';
import { migrations as ours } from './migrations.js';
import type { Queries } from './queries.js';
import { codeOf } from './unavailable.js';

export interface PrepareSchemaOptions {
  readonly database: Database;
  readonly address: StoreAddress;
  /** A checked name. */
  readonly schema: string;
  /** Called under the lock when our tables are there: makes those of the jobs. */
  readonly prepareJobs: () => Promise<void>;
  /** @internal for tests */
  readonly migrations?: readonly string[];
}

const repeatLockMs = 50;

/**
 * Makes the tables that are missing; of several programs that start at once, one does.
 *
 * @throws UsageError for tables of a newer version, and without the rights to make them
 */
export async function prepareSchema(options: PrepareSchemaOptions): Promise<void> {
  const { database, address, schema, prepareJobs, migrations = ours } = options;
  try {
    await database.transaction(async (tx) => {
      // Others wait for as long as it takes to make everything.
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await lock(tx, schema);
      const version = await versionOf(tx, schema);
      refuseNewer(version, migrations.length, options);
      if (version === undefined) await create(tx, schema);
      for (const text of migrations.slice(version ?? 0)) {
        await tx.query(text.replaceAll('{schema}', schema));
      }
      if (version !== migrations.length) {
        await tx.query(`UPDATE ${schema}.schema_version SET version = $1`, [migrations.length]);
      }
      await prepareJobs();
    });
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    throw new UsageError(
      `${address.named}: the user may not make or use the schemas ${schema} and ${schema}_jobs; grant CREATE on the database, or let their owner start evfwd once`,
      'store_rights_missing',
      { cause: error },
    );
  }
}

/** Waits without a limit of its own: `pg_advisory_xact_lock` would run into that of statements. */
async function lock(tx: Queries, schema: string): Promise<void> {
  for (;;) {
    const [row] = await tx.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
      [`evfwd ${schema}`],
    );
    if (row!.taken) return;
    await wait(repeatLockMs);
  }
}

/** How many migrations were run; undefined before the first. */
async function versionOf(tx: Queries, schema: string): Promise<number | undefined> {
  const [table] = await tx.query<{ isThere: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS "isThere"',
    [`${schema}.schema_version`],
  );
  if (!table!.isThere) return undefined;
  const [row] = await tx.query<{ version: number }>(`SELECT version FROM ${schema}.schema_version`);
  return row?.version ?? 0;
}

async function create(tx: Queries, schema: string): Promise<void> {
  // IF NOT EXISTS asks for the right to create one even where it is there.
  const [found] = await tx.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (!found) await tx.query(`CREATE SCHEMA ${schema}`);
  await tx.query(`CREATE TABLE ${schema}.schema_version (version int NOT NULL)`);
  await tx.query(`INSERT INTO ${schema}.schema_version VALUES (0)`);
}

function refuseNewer(
  version: number | undefined,
  known: number,
  { address, schema }: PrepareSchemaOptions,
): void {
  if (version === undefined || version <= known) return;
  throw new UsageError(
    `${address.named}: the schema ${schema} has version ${version}, and this evfwd knows ${known}; use a newer evfwd, or another --store-schema`,
    'store_schema_newer',
  );
}
