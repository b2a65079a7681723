/** Of imports that several machines share. */
export const importTables = `
  CREATE TABLE {schema}.run (
    id text PRIMARY KEY
  );
`;
