import type { Client } from 'pg';
import { UsageError } from '../../errors.js';
import type { StoreAddress } from './address.js';
import { clientConfig } from './connection.js';
import type { StorePackages } from './packages.js';
import { serverSettings, type ConnectionLimit, type ServerSettings } from './server-settings.js';
import { adviceFor, codeOf, lossOf, ownershipAdvice, refusalOf } from './unavailable.js';

export interface CheckServerOptions {
  readonly address: StoreAddress;
  readonly ca: readonly string[];
  readonly schema: string;
  readonly packages: StorePackages;
}

/** What is known of a server after it was checked. */
export interface CheckedServer {
  readonly isTls: boolean;
  /** Whether the schema of the jobs is there. */
  readonly hasJobsSchema: boolean;
  /** One line each: what may be lost with its configuration. */
  readonly warnings: readonly string[];
}

const minVersion = 13;
const minFree = 5;

/**
 * Connects, and looks at what could make the server lose data, or us fail later.
 *
 * @throws UsageError, one line without password, when the server cannot be used
 */
export async function checkServer(options: CheckServerOptions): Promise<CheckedServer> {
  const { client, isTls } = await connect(options);
  try {
    const settings = await serverSettings(client, options.schema);
    refuseUnusable(settings, options);
    await refusePooler(client, isTls, options);
    return { isTls, hasJobsSchema: settings.hasJobsSchema, warnings: warningsOf(settings) };
  } catch (error) {
    throw error instanceof UsageError ? error : startFailure(options.address, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** `sslmode=prefer` is TLS where the server has it. */
async function connect(options: CheckServerOptions): Promise<{ client: Client; isTls: boolean }> {
  const { address } = options;
  const isTls = address.sslMode !== 'disable';
  try {
    return { client: await open(options, isTls), isTls };
  } catch (error) {
    if (address.sslMode !== 'prefer' || !hasNoTls(error)) throw startFailure(address, error);
  }
  try {
    return { client: await open(options, false), isTls: false };
  } catch (error) {
    throw startFailure(address, error);
  }
}

async function open(
  { address, ca, packages }: CheckServerOptions,
  isTls: boolean,
): Promise<Client> {
  const client = new packages.pg.Client(clientConfig({ address, ca, isTls }, packages));
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

function hasNoTls(error: unknown): boolean {
  return error instanceof Error && /does not support SSL/i.test(error.message);
}

function refuseUnusable(settings: ServerSettings, { address, schema }: CheckServerOptions): void {
  const refuse = (what: string, code: string): never => {
    throw new UsageError(`${address.named}: ${what}`, code);
  };
  if (settings.version < minVersion) {
    refuse(
      `is PostgreSQL ${settings.version}; version ${minVersion} or newer is needed`,
      'store_server_too_old',
    );
  }
  if (settings.isReadOnly) {
    refuse('is read-only, a standby perhaps; pass the server that takes writes', 'store_read_only');
  }
  // One that is in use already goes on, with a warning.
  if (settings.encoding !== 'UTF8' && !settings.hasJobsSchema) {
    refuse(
      `the database is in ${settings.encoding}, which cannot hold all texts; make one with createdb --encoding=UTF8 --locale=C --template=template0`,
      'store_encoding_other',
    );
  }
  if (!settings.mayCreate) {
    refuse(
      `the user may not make tables in the schemas ${schema} and ${schema}_jobs; grant CREATE on the database, or if the schemas exist, ${ownershipAdvice}`,
      'store_rights_missing',
    );
  }
  for (const [limit, free] of Object.entries(settings.free)) {
    if (free === null || free >= minFree) continue;
    refuse(
      `has too few free connections (${Math.max(0, free)}, at least ${minFree} are needed); raise ${limits[limit as ConnectionLimit]}, or end other programs`,
      'store_connections_missing',
    );
  }
}

const limits: Readonly<Record<ConnectionLimit, string>> = {
  server: 'max_connections',
  role: 'the CONNECTION LIMIT of the role',
  database: 'the CONNECTION LIMIT of the database',
};

/**
 * A pooler that hands out connections by transaction gives two clients the same one, or one client
 * another each time. LISTEN, session settings and locks are lost there.
 */
async function refusePooler(
  client: Client,
  isTls: boolean,
  options: CheckServerOptions,
): Promise<void> {
  const before = await sessionOf(client);
  const second = await open(options, isTls);
  try {
    const other = await inTransaction(second, () => sessionOf(second));
    const after = await inTransaction(second, () => sessionOf(client));
    if (other.pid !== before.pid && after.pid === before.pid && after.mark === before.mark) return;
  } catch (error) {
    if (isReadTimeout(error)) {
      throw new UsageError(
        `${options.address.named}: is a pooler that gives out too few connections; raise the size of its pool (9 for each process, in session mode), or pass the address of PostgreSQL itself`,
        'store_pooler',
      );
    }
    if (codeOf(error) !== protocolViolation) throw error;
  } finally {
    await second.end().catch(() => undefined);
  }
  throw new UsageError(
    `${options.address.named}: is a pooler in transaction mode; pass the address of PostgreSQL itself, or a pool in session mode`,
    'store_pooler',
  );
}

async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT 1');
    return await work();
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

/** Reads the mark of this session, and leaves one where there is none. */
async function sessionOf(client: Client): Promise<{ pid: number; mark: string }> {
  const { rows } = await client.query(
    `SELECT pg_backend_pid() AS pid, coalesce(nullif(current_setting('evfwd.session', true), ''), set_config('evfwd.session', md5(random()::text), false)) AS mark`,
  );
  return rows[0] as { pid: number; mark: string };
}

/** SQLSTATE with which PgBouncer in statement mode refuses a transaction. */
const protocolViolation = '08P01';

/** A pool of one connection keeps the second client waiting. */
function isReadTimeout(error: unknown): boolean {
  return /read timeout/i.test((error as Error).message);
}

function warningsOf({ unsafe, hasAsyncStandby, encoding }: ServerSettings): string[] {
  const warnings = unsafe.map(
    (name) => `the server has ${name} off: ${risks[name]!}; set it to on`,
  );
  if (hasAsyncStandby) {
    warnings.push(
      'the server has standbys, none of them synchronous: one that takes over may lack what was acknowledged last; set synchronous_standby_names, and synchronous_commit to on',
    );
  }
  if (encoding !== 'UTF8') {
    warnings.push(
      `the database is in ${encoding}, so that what an endpoint says in other characters cannot be stored; let what waits be delivered, and go on with a database in UTF8`,
    );
  }
  return warnings;
}

const risks: Readonly<Record<string, string>> = {
  fsync: 'a crash of its machine may destroy everything',
  full_page_writes: 'a crash of its machine may destroy everything',
  synchronous_commit: 'a crash loses what was acknowledged in the last second',
};

/** One line, and nothing that the server said: it may repeat what it was sent. */
function startFailure({ named, sslMode }: StoreAddress, error: unknown): UsageError {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : '';
  const options = { cause: error };
  const cannot = (reason: string, advice: string): UsageError =>
    new UsageError(`${named}: ${reason}; ${advice}`, 'store_unreachable', options);
  if (hasNoTls(error))
    return cannot(
      `has no TLS, which sslmode=${sslMode} wants`,
      'turn on ssl at the server, or use sslmode=disable in a network that you trust',
    );
  if (/certificate|self.signed|altname/i.test(`${code} ${text}`)) {
    const advice =
      code === 'ERR_TLS_CERT_ALTNAME_INVALID'
        ? 'use the name in it, or sslmode=verify-ca'
        : 'pass its authority with --store-ca';
    return cannot('its certificate is not trusted', advice);
  }
  if (code === '28P01' || /password must be a string|no password supplied/i.test(text)) {
    return cannot('refuses the password', 'pass it in the URL, PGPASSWORD or a line of PGPASSFILE');
  }
  if (code === '28000')
    return cannot('refuses the user', 'create its role, or allow it in pg_hba.conf');
  if (code === '3D000') return cannot('has no such database', 'create it first');
  const refusal = refusalOf(error);
  if (refusal !== undefined)
    return cannot(`cannot be used (${refusal})`, adviceFor('refused', error));
  const reason = lossOf(error);
  if (reason === undefined) {
    return cannot(`cannot be used (${code || 'no response of PostgreSQL'})`, 'is it PostgreSQL?');
  }
  return cannot(`cannot be reached (${reason})`, adviceFor('lost', error));
}
