/**
 * Of the ordered destinations of services: events that have left their blocks, by their users. One that waits for a retry
 * has the batch of that retry; one that is parked has its `body` (as a batch has), and the id of the event of the user
 * before it, which may still be in its block, or 0.
 */
export const userOrderTables = `
  CREATE TABLE {schema}.user_event (
    destination int NOT NULL,
    user_key bytea NOT NULL,
    event bigint NOT NULL,
    queued_at float8 NOT NULL,
    behind bigint NOT NULL,
    batch bigint,
    body bytea,
    PRIMARY KEY (destination, user_key, event)
  );
  ALTER TABLE {schema}.user_event ALTER body SET STORAGE EXTERNAL;
  CREATE INDEX user_event_by_age ON {schema}.user_event (destination, event);
`;
