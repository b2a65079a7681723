import { UsageError } from '../../errors.js';

/** How a connection is protected, with libpq's meaning of each. */
export type SslMode = (typeof sslModes)[number];

/** Where a PostgreSQL server is, and how to log in. */
export interface StoreAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** Undefined: that of pg, PGUSER or the user of the system. */
  readonly user: string | undefined;
  /** Undefined: PGPASSWORD, or a line of PGPASSFILE. */
  readonly password: string | undefined;
  /** Undefined: named as the user. */
  readonly database: string | undefined;
  readonly sslMode: SslMode;
  /** `postgres://host:5432/db`: the only form that may be printed. */
  readonly shown: string;
  /** The same behind its source, `EVFWD_STORE postgres://host:5432/db`: what errors begin with. */
  readonly named: string;
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const defaultPort = 5432;
const maxPort = 65_535;
/** What a name of PostgreSQL is without quotes; pg-boss's schema has `_jobs` behind it, and 63 bytes at most. */
const schemaName = /^[a-z_][a-z0-9_]{0,57}$/;

/** The schema unless `--store-schema` says otherwise. */
export const defaultSchema = 'evfwd';

/**
 * @param source where the text is from, for errors
 * @throws UsageError that shows nothing of the text, which may contain a password
 */
export function parseStoreUrl(text: string, source: string): StoreAddress {
  try {
    const address = addressIn(text);
    return { ...address, named: `${source} ${address.shown}` };
  } catch (error) {
    if (!(error instanceof WrongUrl)) throw error;
    throw new UsageError(
      `${source}: the URL ${error.message}; pass it as postgres://user@host:5432/database`,
      'store_url_invalid',
    );
  }
}

/**
 * @throws UsageError for a name that would need quotes, or that PostgreSQL reserves: pg_…, and pg, whose jobs would be in
 * pg_jobs
 */
export function checkSchemaName(name: string): string {
  if (`${name}_`.startsWith('pg_')) {
    throw new UsageError(
      '--store-schema: must not be pg or begin with pg_, which PostgreSQL keeps for itself; use another name',
      'store_schema_invalid',
    );
  }
  if (schemaName.test(name)) return name;
  throw new UsageError(
    '--store-schema: must be lower-case letters, digits and _, not begin with a digit, and have at most 58 characters',
    'store_schema_invalid',
  );
}

/** What is wrong with a URL, without its text. */
class WrongUrl extends Error {}

function addressIn(text: string): Omit<StoreAddress, 'named'> {
  if (!/^postgres(?:ql)?:\/\//.test(text)) throw new WrongUrl('is not a postgres:// URL');
  // A URL with a user and no host, as it is written for a socket, is none for the parser.
  const whole = text.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1socket');
  if (!URL.canParse(whole)) {
    // The number is not printed: what looks like a port may be a password.
    if (portIn(whole) > maxPort) throw new WrongUrl(`has a port above ${maxPort}`);
    throw new WrongUrl('cannot be read; write % as %25, @ as %40, / as %2F');
  }
  const url = new URL(whole);
  if (url.hash !== '') throw new WrongUrl('has a fragment; write # as %23');
  const options = optionsIn(url);
  const named = decoded(url.hostname.replace(/^\[(.*)\]$/, '$1')) ?? '';
  const host = options.host ?? named;
  if (host === '' || (host === 'socket' && whole !== text)) throw new WrongUrl('has no host');
  if (host.includes(',')) throw new WrongUrl('names several hosts; pass the one that takes writes');
  const isSocket = host.startsWith('/');
  const database = decoded(url.pathname.replace(/^\//, ''));
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (port === 0) throw new WrongUrl('has port 0');
  const place = isSocket ? '' : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    ...{ host, port, database },
    user: decoded(url.username),
    password: decoded(url.password),
    sslMode: isSocket ? 'disable' : options.sslMode,
    shown: `postgres://${place}/${database ?? ''}`,
  };
}

/** The port in a URL that cannot be parsed; 0 if there is none, or if it may be a part of a password. */
function portIn(text: string): number {
  return Number(/^\w+:\/\/(?:[^/?#]*@)?[^/?#@]*:(\d+)(?=[/?#]|$)[^@]*$/.exec(text)?.[1] ?? 0);
}

function optionsIn(url: URL): { host: string | undefined; sslMode: SslMode } {
  const known = new Set(['sslmode', 'host']);
  const others = [...url.searchParams.keys()].filter((name) => !known.has(name));
  if (others.length > 0) {
    throw new WrongUrl(
      'has an option other than sslmode and host in its query; certificates are passed with --store-ca',
    );
  }
  const mode = url.searchParams.get('sslmode') ?? 'prefer';
  const sslMode = sslModes.find((known) => known === mode);
  if (!sslMode) throw new WrongUrl(`has an sslmode that is none of ${sslModes.join(', ')}`);
  return { host: url.searchParams.get('host') ?? undefined, sslMode };
}

function decoded(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WrongUrl('has a % that is not part of an escape; write %25 for it');
  }
}
