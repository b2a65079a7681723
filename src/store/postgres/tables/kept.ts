/**
 * Of services that keep what they have accepted. A block with `kept_ms`, its retention, stays when its events have ended,
 * until its time has come: `kept_for` has the numbers of the destinations that it was queued for, and `users` four bytes of
 * the key of each of its users. An event that was removed for its user has a text without anything of it; where one waits
 * at that time, `kept_removal` says that it is removed later. `in_kept` says that kept events may have the user of a
 * deletion: an older instance redacts the log alone. For each replay that runs there is a job.
 */
export const keptTables = `
  ALTER TABLE {schema}.event_block ADD COLUMN kept_ms float8, ADD COLUMN kept_for int[], ADD COLUMN users bytea;
  CREATE INDEX deletion_by_time ON {schema}.deletion (received_at);
  ALTER TABLE {schema}.deletion ADD COLUMN in_kept boolean NOT NULL DEFAULT false;
  ALTER TABLE {schema}.deletion ALTER COLUMN in_kept SET DEFAULT true;
  CREATE TABLE {schema}.kept_removal (
    block bigint NOT NULL,
    user_id text NOT NULL,
    received_at float8 NOT NULL
  );
  CREATE INDEX kept_removal_by_block ON {schema}.kept_removal (block);
  CREATE TABLE {schema}.replay (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    request text NOT NULL,
    state text NOT NULL DEFAULT 'running',
    created_at float8 NOT NULL,
    ended_at float8,
    position text,
    sent bigint NOT NULL DEFAULT 0,
    message text
  );
`;

/** Of tables with what waits. */
export const keptIndexes: Readonly<Record<string, string>> = {
  event_block_by_age: '{schema}.event_block (kept_ms, queued_at) WHERE kept_ms IS NOT NULL',
  event_block_kept: '{schema}.event_block (id) INCLUDE (queued_at) WHERE kept_ms IS NOT NULL',
  user_event_parked: '{schema}.user_event (destination, event) WHERE body IS NOT NULL',
};
