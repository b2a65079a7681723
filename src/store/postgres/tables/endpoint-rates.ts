/** The rates of single URLs, of runs and of destinations, by their index. Times as of `run_rate`. */
export const endpointRateTables = `
  CREATE UNLOGGED TABLE {schema}.endpoint_rate (
    scope text NOT NULL,
    url text NOT NULL,
    due float8 NOT NULL,
    free float8 NOT NULL,
    first float8 NOT NULL,
    PRIMARY KEY (scope, url)
  ) WITH (fillfactor = 20);
`;
