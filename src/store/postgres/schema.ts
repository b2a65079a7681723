import { setTimeout as wait } from 'node:timers/promises';
import { UsageError } from '../../errors.js';
import type { StoreAddress } from './address.js';
import { tryLock } from './advisory-lock.js';
import type { Database } from './database.js';
import { refuseConflictingTables } from './conflicting-tables.js';
import { indexes, migrations as ours } from './migrations.js';
import type { Queries } from './queries.js';
import { StoreUnavailable, isMissingRight, ownershipAdvice } from './unavailable.js';

export interface CheckSchemaOptions {
  readonly database: Database;
  readonly address: StoreAddress;
  /** A checked name. */
  readonly schema: string;
}

export interface PrepareSchemaOptions extends CheckSchemaOptions {
  /** Called under the lock when our tables are there: makes those of the jobs. */
  readonly prepareJobs: () => Promise<void>;
  /** @internal for tests */
  readonly migrations?: readonly string[];
}

const repeatLockMs = 50;
/** Programs that use a table wait behind whoever waits to change it: no longer than this, and not all of the time. */
const changeWithinMs = 200;
const repeatChangeMs = 1_000;
/** An index that takes longer, as beside a backup, is made at a later start. */
const indexWithinMs = 60_000;

/**
 * Makes the tables that are missing; of several programs that start at once, one does.
 *
 * @throws UsageError for tables of a newer version or of others, and without the rights to make them
 */
export async function prepareSchema(options: PrepareSchemaOptions): Promise<void> {
  const { database, address, schema, prepareJobs, migrations = ours } = options;
  try {
    await database.transaction(async (tx) => {
      // Others wait for as long as it takes to make everything.
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await lock(tx, schema);
      await refuseConflictingTables(tx, options);
      const version = await versionOf(tx, schema);
      refuseNewer(version, migrations.length, options);
      if (version === undefined) await create(tx, schema);
      for (const text of migrations.slice(version ?? 0)) {
        await change(tx, text.replaceAll('{schema}', schema));
      }
      if (version === undefined) await makeIndexes(tx, schema);
      if (version !== migrations.length) {
        await tx.query(`UPDATE ${schema}.schema_version SET version = $1`, [migrations.length]);
      }
    });
    await database.transaction(async (tx) => {
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await lock(tx, schema);
      await prepareJobs();
    });
    await addIndexes(database, schema);
  } catch (error) {
    if (!isMissingRight(error)) throw error;
    throw new UsageError(
      `${address.named}: the user may not use or change tables in the schemas ${schema} and ${schema}_jobs; ${ownershipAdvice}`,
      'store_rights_missing',
      { cause: error },
    );
  }
}

/** Changes nothing. @throws UsageError for tables of another version, and where there are none */
export async function checkSchema(options: CheckSchemaOptions): Promise<void> {
  const { database, address, schema } = options;
  await refuseConflictingTables(database, options);
  const version = await versionOf(database, schema);
  refuseNewer(version, ours.length, options);
  if (version === ours.length) return;
  const problem =
    version === undefined
      ? `there is no schema ${schema} of evfwd; pass the --store-schema of its services`
      : `the schema ${schema} has version ${version}, and this evfwd reads ${ours.length}; use the evfwd of its services, or update them first`;
  throw new UsageError(`${address.named}: ${problem}`, 'store_schema_other');
}

/** Waits without a limit of its own: `pg_advisory_xact_lock` would run into that of statements. */
async function lock(tx: Queries, schema: string): Promise<void> {
  while (!(await tryLock(tx, `evfwd ${schema}`, 0))) await wait(repeatLockMs);
}

/** Runs these statements; again for as long as another transaction, such as that of a backup, holds what they change. */
async function change(tx: Queries, text: string): Promise<void> {
  for (;;) {
    await tx.query(`SELECT set_config('evfwd.is_changed', '', true)`);
    await tx.query(`DO $do$ BEGIN
        SET LOCAL lock_timeout = ${changeWithinMs};
        EXECUTE $text$${text}$text$;
        SET LOCAL lock_timeout = 0;
        PERFORM set_config('evfwd.is_changed', 'yes', true);
      EXCEPTION WHEN lock_not_available THEN NULL;
      END $do$`);
    const [row] = await tx.query<{ isDone: boolean }>(
      `SELECT current_setting('evfwd.is_changed') = 'yes' AS "isDone"`,
    );
    if (row!.isDone) return;
    await wait(repeatChangeMs);
  }
}

/** Within the transaction that makes their tables. */
async function makeIndexes(tx: Queries, schema: string): Promise<void> {
  for (const [name, on] of Object.entries(indexes))
    await tx.query(`CREATE INDEX ${name} ON ${on.replaceAll('{schema}', schema)}`);
}

/** Makes those that are missing while others write; without them, the store is only slower. One program does. */
async function addIndexes(database: Database, schema: string): Promise<void> {
  const missing = await missingIndexes(database, schema);
  if (missing.length === 0) return;
  await database.transaction(async (tx) => {
    if (!(await tryLock(tx, `evfwd indexes ${schema}`, 0))) return;
    // Last: this transaction must hold no snapshot, which the statements below would wait for.
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    try {
      for (const { name, isThere } of await missingIndexes(database, schema)) {
        const make = (text: string) => database.longQuery(text, [], indexWithinMs);
        // What an attempt that was broken off has left.
        if (isThere) await make(`DROP INDEX CONCURRENTLY ${schema}.${name}`);
        const on = indexes[name]!.replaceAll('{schema}', schema);
        await make(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || isMissingRight(error)) throw error;
    }
  });
}

/** `isThere`: but it was never completed. */
function missingIndexes(
  queries: Queries,
  schema: string,
): Promise<{ readonly name: string; readonly isThere: boolean }[]> {
  return queries.query(
    `SELECT name, i.indexrelid IS NOT NULL AS "isThere" FROM unnest($1::text[]) AS name
     LEFT JOIN pg_index i ON i.indexrelid = to_regclass($2 || '.' || name) WHERE i.indisvalid IS NOT TRUE`,
    [Object.keys(indexes), schema],
  );
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
  { address, schema }: CheckSchemaOptions,
): void {
  if (version === undefined || version <= known) return;
  throw new UsageError(
    `${address.named}: the schema ${schema} has version ${version}, and this evfwd knows ${known}; use a newer evfwd, or another --store-schema`,
    'store_schema_newer',
  );
}
