/** Of imports and of services. */
export const commonTables = `
  CREATE FUNCTION {schema}.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8';

  CREATE UNLOGGED TABLE {schema}.probe (
    scope text NOT NULL,
    url text NOT NULL,
    at float8 NOT NULL,
    PRIMARY KEY (scope, url)
  );
`;
