/**
 * Of services. Times are milliseconds since 1970 by the clock of the server. An event without an attempt is in a block
 * (`body`, see codec.ts of serve/store/postgres), which is never updated; `queued_block` says for which destinations it
 * waits, with a bit for each of its events that is set while it waits (NULL: all). Retries are in batches. For each
 * queued block and each batch there is a job. One that cannot be read is set aside: it has the negative number of its
 * destination, and no job.
 *
 * messageIds, endpoints and responses are JSON text: a text of PostgreSQL has no U+0000 and no lone surrogates.
 */
export const serveTables = `
  CREATE TABLE {schema}.name (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    name text NOT NULL,
    UNIQUE (kind, name)
  );
  CREATE SEQUENCE {schema}.block_id;
  CREATE TABLE {schema}.event_block (
    id bigint PRIMARY KEY,
    queued_at float8 NOT NULL,
    size int NOT NULL,
    destinations int NOT NULL,
    body bytea NOT NULL
  );
  ALTER TABLE {schema}.event_block ALTER body SET STORAGE EXTERNAL;
  CREATE TABLE {schema}.queued_block (
    destination int NOT NULL,
    block bigint NOT NULL,
    queued_at float8 NOT NULL,
    waiting_count int NOT NULL,
    waiting_bits bytea,
    PRIMARY KEY (destination, block)
  );
  CREATE INDEX queued_block_by_block ON {schema}.queued_block (block);
  CREATE TABLE {schema}.retry_batch (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination int NOT NULL,
    queued_at float8 NOT NULL,
    due_at float8 NOT NULL,
    size int NOT NULL,
    body bytea NOT NULL
  );
  ALTER TABLE {schema}.retry_batch ALTER body SET STORAGE EXTERNAL;
  CREATE INDEX retry_batch_by_turn ON {schema}.retry_batch (destination, due_at);
  CREATE TABLE {schema}.dead_letter (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seen_key bytea NOT NULL,
    destination int NOT NULL,
    failed_at float8 NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    attempts int NOT NULL,
    last_status int,
    response text,
    source int NOT NULL,
    received_at float8 NOT NULL,
    message_id text NOT NULL,
    writes_message_id int NOT NULL,
    timestamp text,
    bytes bytea NOT NULL
  );
  CREATE INDEX dead_letter_by_destination ON {schema}.dead_letter (destination, id);
  CREATE INDEX dead_letter_by_seen_key ON {schema}.dead_letter (seen_key);
  CREATE TABLE {schema}.rejected (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source int NOT NULL,
    received_at float8 NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    bytes bytea NOT NULL,
    is_json int NOT NULL
  );
  CREATE TABLE {schema}.deletion (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source int NOT NULL,
    user_id text NOT NULL,
    timestamp text NOT NULL,
    received_at float8 NOT NULL,
    message_id text NOT NULL,
    in_log boolean NOT NULL DEFAULT true
  );
  CREATE TABLE {schema}.count (
    source int NOT NULL,
    destination int NOT NULL,
    what text NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (source, destination, what)
  );
  CREATE TABLE {schema}.count_change (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    changes jsonb NOT NULL
  );
  CREATE TABLE {schema}.seen_0 (key bytea PRIMARY KEY, at int NOT NULL);
  CREATE TABLE {schema}.seen_1 (key bytea PRIMARY KEY, at int NOT NULL);
  CREATE TABLE {schema}.seen_rotation (newer int NOT NULL, since float8 NOT NULL);
  INSERT INTO {schema}.seen_rotation VALUES (0, extract(epoch FROM clock_timestamp()) * 1000);
  CREATE TABLE {schema}.outcome_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at float8 NOT NULL,
    instance text NOT NULL,
    body bytea NOT NULL
  );
  ALTER TABLE {schema}.outcome_log ALTER body SET STORAGE EXTERNAL;
  CREATE TABLE {schema}.destination_switch (
    name text PRIMARY KEY,
    is_enabled boolean NOT NULL,
    configured boolean NOT NULL
  );
  CREATE TABLE {schema}.endpoint_state (
    destination text NOT NULL,
    url text NOT NULL,
    kind text NOT NULL,
    at float8 NOT NULL,
    notice jsonb NOT NULL,
    PRIMARY KEY (destination, url, kind)
  );
  CREATE TABLE {schema}.instance (
    id text PRIMARY KEY,
    started_at float8 NOT NULL,
    last_seen float8 NOT NULL,
    version text NOT NULL,
    config_hash text NOT NULL
  );
`;
