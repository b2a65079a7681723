import type { Client } from 'pg';

/** What a server says of itself. */
export interface ServerSettings {
  /** Of PostgreSQL: 15. */
  readonly version: number;
  readonly isReadOnly: boolean;
  /** Of the database: `UTF8`, or another by its name. */
  readonly encoding: string;
  /** Settings against the loss of data that are off. */
  readonly unsafe: readonly string[];
  readonly hasAsyncStandby: boolean;
  /** Whether our user may make tables in both schemas, or make these. */
  readonly mayCreate: boolean;
  /** Whether the schema of the jobs is there. */
  readonly hasJobsSchema: boolean;
  /** Connections that our user may still make, this one included, by each limit that it has. */
  readonly free: Readonly<Record<ConnectionLimit, number | null>>;
}

export type ConnectionLimit = 'server' | 'role' | 'database';

const safety = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** As this session has them: by the server, the database and the user. A backup that runs is no standby. */
export async function serverSettings(client: Client, schema: string): Promise<ServerSettings> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int / 10000 AS version,
      pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
      current_setting('server_encoding') AS encoding,
      current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit,
      (current_setting('synchronous_standby_names') = '' OR current_setting('synchronous_commit') = 'local')
        AND EXISTS (SELECT FROM pg_stat_replication WHERE application_name <> 'pg_basebackup') AS "hasAsyncStandby",
      (SELECT bool_and(coalesce(
          has_schema_privilege(n.oid, 'CREATE') AND has_schema_privilege(n.oid, 'USAGE'),
          has_database_privilege(current_database(), 'CREATE')))
        FROM unnest(ARRAY[$1, $1 || '_jobs']) AS wanted (name)
        LEFT JOIN pg_namespace n ON n.nspname = wanted.name) AS "mayCreate",
      EXISTS (SELECT FROM pg_namespace WHERE nspname = $1 || '_jobs') AS "hasJobsSchema",
      json_build_object(
        'server', current_setting('max_connections')::int + 1 - ${clientsWhere('true')}
          - CASE WHEN role.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int END,
        'role', CASE WHEN role.rolconnlimit >= 0 AND NOT role.rolsuper
          THEN role.rolconnlimit + 1 - ${clientsWhere('usename = current_user')} END,
        'database', CASE WHEN base.datconnlimit >= 0 AND NOT role.rolsuper
          THEN base.datconnlimit + 1 - ${clientsWhere('datname = current_database()')} END
      ) AS free
    FROM pg_roles role, pg_database base
    WHERE role.rolname = current_user AND base.datname = current_database()`,
    [schema],
  );
  const row = rows[0] as Omit<ServerSettings, 'unsafe'> & Record<(typeof safety)[number], string>;
  return { ...row, unsafe: safety.filter((name) => row[name] === 'off') };
}

/** The type of others' connections is hidden from a user without `pg_read_all_stats`; only clients have a user and a database. */
function clientsWhere(condition: string): string {
  return `(SELECT count(*) FROM pg_stat_activity
    WHERE coalesce(backend_type = 'client backend', usesysid IS NOT NULL AND datid IS NOT NULL) AND ${condition})`;
}
