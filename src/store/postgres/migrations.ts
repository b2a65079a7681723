import { alertTables } from './tables/alerts.js';
import { commonTables } from './tables/common.js';
import { endpointRateTables } from './tables/endpoint-rates.js';
import { importTables } from './tables/imports.js';
import { keptIndexes, keptTables } from './tables/kept.js';
import { serveTables } from './tables/serve.js';
import { userOrderTables } from './tables/user-order.js';

/**
 * What makes our tables, in the order in which it came to be; the version of a schema is the number of
 * those that were run. Only ever append: programs of several versions use a store at the same time, so a
 * statement adds tables, columns with defaults and indexes, and never changes or drops what is there.
 * `{schema}` stands for the schema. One text may have several statements.
 */
export const migrations: readonly string[] = [
  commonTables,
  importTables,
  serveTables,
  alertTables,
  endpointRateTables,
  userOrderTables,
  keptTables,
];

/** More indexes, by their names: they are made beside programs that write to their tables, which may be large. Only append. */
export const indexes: Readonly<Record<string, string>> = keptIndexes;

/** Names of the tables that the migrations create, without schema. */
export const tableNames: readonly string[] = migrations.flatMap((text) =>
  [...text.matchAll(/CREATE (?:UNLOGGED )?TABLE \{schema\}\.(\w+)/g)].map(([, name]) => name!),
);
