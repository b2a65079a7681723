import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import type { SharedStore } from '../../store/postgres/open.js';
import type { Io } from './command.js';
import { say } from './output.js';

/** Flags of every command that uses a store on PostgreSQL. */
export interface StoreFlags {
  store?: string;
  storeSchema?: string;
  storeCa?: string;
  requireDurable?: boolean;
  quiet?: boolean;
}

/** Where a configuration file may be named. */
interface ConfigFlags {
  config?: string;
  profile?: string;
}

/** `store:` of the configuration file, if one is named by a flag or a variable. */
export async function storeOfConfig(
  { config, profile }: ConfigFlags,
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
): Promise<string | undefined> {
  const isNamed = config ?? profile ?? (env.EVFWD_CONFIG || env.EVFWD_PROFILE);
  if (!isNamed) return undefined;
  const { configuredStore } = await import('../../config/store.js');
  const { homedir } = await import('node:os');
  return configuredStore({ path: config, cwd, home: homedir(), env });
}

export interface OpenStoreForOptions {
  /** Whether the command changes nothing, so that it need not warn of what may be lost. */
  readonly isReadOnly?: boolean;
  /** False: refuses a store whose tables are not there, or of another version, rather than make them. Default true. */
  readonly makesTables?: boolean;
  /** `store:` of the configuration file, which flag and variable win over. */
  readonly configured?: string | undefined;
  readonly maxConnections?: number;
  /** As of `OpenStoreOptions`. */
  readonly takesJobs?: boolean;
  /** Says what happens to the connection; `isOver`: that it is usable again. Default: a line on standard error. */
  readonly report?: (text: string, isOver: boolean) => void;
}

/** Where the URL of the store is from. */
export function storeSource({ store }: Pick<StoreFlags, 'store'>, io: Io): string {
  if (store !== undefined) return '--store';
  return io.env.EVFWD_STORE ? 'EVFWD_STORE' : 'store of the configuration file';
}

/**
 * The URL of `--store`, EVFWD_STORE or the configuration file; undefined without one.
 * @throws UsageError for what earlier versions had in its place
 */
export function storeUrl(
  { store }: Pick<StoreFlags, 'store'>,
  { env }: Pick<Io, 'env'>,
  configured?: string,
): string | undefined {
  if (env.EVFWD_QUEUE) {
    throw new UsageError(
      'EVFWD_QUEUE is gone: machines share PostgreSQL; use --store postgres://user@host/database or EVFWD_STORE, and unset EVFWD_QUEUE',
      'queue_gone',
    );
  }
  return store ?? (env.EVFWD_STORE || configured);
}

/**
 * Connects to the store. Warnings and what happens to the connection are lines on standard error.
 *
 * @throws UsageError without a store, and for one that cannot be used
 */
export async function openStoreFor(
  flags: StoreFlags,
  io: Io,
  {
    isReadOnly = false,
    makesTables = true,
    configured,
    maxConnections,
    takesJobs = false,
    report,
  }: OpenStoreForOptions = {},
): Promise<SharedStore> {
  const url = storeUrl(flags, io, configured);
  if (!url) {
    throw new UsageError(
      'no store: pass --store postgres://user@host:5432/database, or set EVFWD_STORE',
      'store_missing',
    );
  }
  const { openStore } = await import('../../store/postgres/open.js');
  const line = report ?? ((text) => say(io, printable(`store: ${text}`)));
  const warn = (text: string): void => line(text, false);
  return openStore({
    url,
    source: storeSource(flags, io),
    schema: flags.storeSchema,
    ca: await authorities(flags),
    makesTables,
    takesJobs,
    requireDurable: flags.requireDurable ?? false,
    ...(maxConnections !== undefined && { maxConnections }),
    onWarning: (text) => {
      if (!flags.quiet && !isReadOnly) warn(text);
    },
    // What a command only reads may be there; a right that is missing does not come by itself.
    waitsForRefusal: !isReadOnly,
    onOutage: warn,
    onRecovered: (text) => line(text, true),
  });
}

async function authorities({ storeCa }: StoreFlags): Promise<string[]> {
  if (storeCa === undefined) return [];
  const { readAuthorities } = await import('../../config/certificate-files.js');
  return [await readAuthorities(storeCa, '--store-ca')];
}
