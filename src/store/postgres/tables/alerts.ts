/** What the last alerts about a destination of services said; see alert-states.ts of serve/alerts. */
export const alertTables = `
  CREATE TABLE {schema}.alert (
    destination text PRIMARY KEY,
    is_down boolean NOT NULL,
    since float8 NOT NULL,
    last_dead_letter bigint NOT NULL,
    certificate_end float8 NOT NULL,
    at float8 NOT NULL
  );
`;
