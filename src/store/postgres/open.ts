import { systemClock, type Clock } from '../../clock.js';
import { UsageError } from '../../errors.js';
import { checkSchemaName, defaultSchema, parseStoreUrl } from './address.js';
import { checkServer } from './check-server.js';
import { Database } from './database.js';
import { Jobs } from './jobs.js';
import { tableNames } from './migrations.js';
import { loadStorePackages } from './packages.js';
import { checkSchema, prepareSchema } from './schema.js';

export interface OpenStoreOptions {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string;
  /** Where the URL is from, for errors. Default: `--store`. */
  readonly source?: string;
  readonly schema?: string | undefined;
  /** More certificates of authorities, PEM. */
  readonly ca?: readonly string[];
  /** Refuse a server whose configuration may lose data. */
  readonly requireDurable?: boolean;
  /** Connections at most, beside one for messages. */
  readonly maxConnections?: number;
  /** False: the tables have to be there as this version makes them. Default true. */
  readonly makesTables?: boolean;
  /**
   * Whether this process takes jobs, and so looks each second for those whose heartbeat has expired. Each look costs the
   * server some milliseconds. Needs `makesTables`. Default false.
   */
  readonly takesJobs?: boolean;
  readonly clock?: Clock;
  /** As of `DatabaseOptions`. */
  readonly waitsForRefusal?: boolean;
  /** One line each. */
  readonly onOutage: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  readonly onWarning: (message: string) => void;
}

/** A store on PostgreSQL that several machines share. */
export interface SharedStore {
  readonly database: Database;
  readonly jobs: Jobs;
  /** Of our tables. */
  readonly schema: string;
  /** The URL as it may be printed. */
  readonly name: string;
  close(): Promise<void>;
}

const defaultConnections = 6;
const supervisionConnections = 2;
/** With millions of jobs, counting them takes longer than any statement of ours may. */
const supervisionMs = 60_000;

/**
 * Checks the server, makes the tables that are missing, and connects.
 *
 * @throws UsageError, one line, when the store cannot be used
 */
export async function openStore(options: OpenStoreOptions): Promise<SharedStore> {
  const { source = '--store', ca = [], clock = systemClock } = options;
  const { makesTables = true, takesJobs: supervises = false } = options;
  const address = parseStoreUrl(options.url, source);
  const schema = checkSchemaName(options.schema ?? defaultSchema);
  const packages = await loadStorePackages();
  const {
    isTls,
    hasJobsSchema: hasSchema,
    warnings,
  } = await checkServer({ address, ca, schema, packages });
  if (options.requireDurable && warnings.length > 0) {
    throw new UsageError(`${address.named}: ${warnings.join('; ')}`, 'store_not_durable');
  }
  for (const warning of warnings) options.onWarning(warning);
  const max = options.maxConnections ?? defaultConnections;
  const database = new Database({
    ...options,
    ...{ address, ca, isTls, packages, max, clock },
    tables: [
      ...tableNames.map((name) => `${schema}.${name}`),
      ...['version', 'queue', 'job'].map((name) => `${schema}_jobs.${name}`),
    ],
  });
  const supervision = new Database({
    ...{ address, ca, isTls, packages, clock, max: supervisionConnections },
    statementMs: supervisionMs,
    // The other one says it.
    ...{ onOutage: () => undefined, onRecovered: () => undefined },
  });
  const jobs = new Jobs({
    ...{ packages, database, supervision, supervises },
    ...{ schema, hasSchema, clock },
  });
  const close = async (): Promise<void> => {
    await jobs.close();
    await supervision.close();
    await database.close();
  };
  try {
    if (makesTables)
      await prepareSchema({ database, address, schema, prepareJobs: () => jobs.start() });
    else await checkSchema({ database, address, schema });
    await database.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { database, jobs, schema, name: address.shown, close };
}
