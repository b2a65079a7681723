/**
 * Of imports that several machines share. Times are milliseconds since 1970 by the clock of the server.
 * What no crash has to keep is in tables that are not logged, so that it costs no write to the disk.
 */
export const importTables = `
  CREATE TABLE {schema}.run (
    id text PRIMARY KEY,
    identity text NOT NULL,
    is_current boolean NOT NULL DEFAULT true,
    public_hash text NOT NULL,
    plan text NOT NULL,
    status text NOT NULL DEFAULT 'running',
    stop_reason text,
    stop_after jsonb,
    total int NOT NULL,
    created_at float8 NOT NULL,
    ended_at float8,
    stats_at_resume jsonb NOT NULL DEFAULT '{}',
    dead_letters bigint NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX ON {schema}.run (identity) WHERE is_current;

  CREATE TABLE {schema}.part (
    run text NOT NULL REFERENCES {schema}.run ON DELETE CASCADE,
    id text NOT NULL,
    job uuid NOT NULL,
    file int NOT NULL,
    -- Of Parquet, rows in place of bytes.
    from_byte bigint NOT NULL,
    to_byte bigint,
    progress jsonb,
    attempt int NOT NULL DEFAULT 0,
    taken int NOT NULL DEFAULT -1,
    state text NOT NULL DEFAULT 'open',
    reason text,
    PRIMARY KEY (run, id)
  ) WITH (fillfactor = 70);

  CREATE TABLE {schema}.retry (
    run text NOT NULL REFERENCES {schema}.run ON DELETE CASCADE,
    id text NOT NULL,
    job uuid NOT NULL,
    file int NOT NULL,
    due_at float8 NOT NULL,
    rows text NOT NULL,
    attempt int NOT NULL DEFAULT 0,
    reason text,
    PRIMARY KEY (run, id)
  );
  CREATE INDEX ON {schema}.retry (run, due_at) WHERE reason IS NULL;

  CREATE TABLE {schema}.run_stat (
    run text NOT NULL REFERENCES {schema}.run ON DELETE CASCADE,
    slot smallint NOT NULL,
    name text NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (run, slot, name)
  ) WITH (fillfactor = 50);

  CREATE TABLE {schema}.run_dead_letter (
    run text NOT NULL REFERENCES {schema}.run ON DELETE CASCADE,
    n bigint NOT NULL,
    line bytea NOT NULL,
    PRIMARY KEY (run, n)
  );

  CREATE TABLE {schema}.run_notice (
    run text NOT NULL REFERENCES {schema}.run ON DELETE CASCADE,
    url int NOT NULL,
    kind text NOT NULL,
    at float8 NOT NULL,
    notice jsonb NOT NULL,
    PRIMARY KEY (run, url, kind)
  );

  CREATE UNLOGGED TABLE {schema}.run_worker (
    run text NOT NULL,
    worker text NOT NULL,
    items int NOT NULL,
    at float8 NOT NULL,
    PRIMARY KEY (run, worker)
  );
  CREATE UNLOGGED TABLE {schema}.run_rate (
    run text PRIMARY KEY,
    due float8 NOT NULL,
    free float8 NOT NULL,
    first float8 NOT NULL
  ) WITH (fillfactor = 20);
`;
