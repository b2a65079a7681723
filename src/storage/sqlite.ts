import { EvfwdError, exitCodes } from '../errors.js';

/** A value of a row. */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type Row = Record<string, SqlValue>;

/** The part of `node:sqlite` that is used here; `@photostructure/sqlite` has the same API. */
export interface Statement {
  run(...values: SqlValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type DatabaseClass = new (path: string, options?: { timeout?: number }) => Database;

/** From this version on, Node's own module works without a warning. */
const nodeWithSqlite = 24;

/** How long to wait for SQLite's file lock, in milliseconds. */
const lockTimeoutMs = 5_000;

/**
 * Opens a database file, or `:memory:`, with Node's own SQLite if that is stable, else with the package
 * that has the same API: the npm package of evfwd has its builds for the most common platforms.
 * @throws EvfwdError `no_sqlite` when neither can be loaded.
 */
export async function openDatabase(path: string): Promise<Database> {
  const DatabaseSync = await loadDatabaseClass();
  return new DatabaseSync(path, { timeout: lockTimeoutMs });
}

async function loadDatabaseClass(): Promise<DatabaseClass> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const packages = [bundledPackage, installedPackage];
  const sources = major >= nodeWithSqlite ? [ownModule, ...packages] : packages;
  let cause: unknown;
  for (const load of sources) {
    try {
      return (await load()).DatabaseSync;
    } catch (error) {
      cause = error;
    }
  }
  throw new EvfwdError(
    'no_sqlite',
    `no SQLite for ${process.platform}-${process.arch} on Node ${process.version}; use Node ${nodeWithSqlite}, which includes SQLite, or install @photostructure/sqlite beside evfwd: npm install @photostructure/sqlite (with -g if evfwd is installed globally)`,
    exitCodes.usage,
    { cause },
  );
}

interface SqliteModule {
  readonly DatabaseSync: DatabaseClass;
}

/** The types of Node 20 do not know the module, so its name is not a literal. */
async function ownModule(): Promise<SqliteModule> {
  const name = ['node', 'sqlite'].join(':');
  return (await import(name)) as SqliteModule;
}

/** The one that a user has installed beside evfwd: a literal name would bundle it. */
async function installedPackage(): Promise<SqliteModule> {
  const name = ['@photostructure', 'sqlite'].join('/');
  return (await import(name)) as SqliteModule;
}

/** Part of the bundle; it looks for the native build of this machine in `dist/prebuilds/`. */
async function bundledPackage(): Promise<SqliteModule> {
  return await import('@photostructure/sqlite');
}
