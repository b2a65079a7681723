import type { ClientConfig, ClientBase } from 'pg';
import type { ConnectionOptions } from 'node:tls';
import type { StoreAddress } from './address.js';
import { BatchingSocket } from './batching-socket.js';
import type { StorePackages } from './packages.js';

/** How connections are made; the same for all of a store. */
export interface ConnectionSettings {
  readonly address: StoreAddress;
  /** More certificates of authorities, PEM. */
  readonly ca: readonly string[];
  /** Whether the server has TLS, once it was asked; only `sslmode=prefer` lets it have none. */
  readonly isTls: boolean;
}

const connectWithinMs = 5_000;
/** A statement without an answer for so long is given up, and its connection with it. */
export const answerWithinMs = 6_000;
const keepAliveAfterMs = 3_000;
/** Locks of a process that is stopped within a transaction hold nobody up for longer. */
const idleInTransactionMs = 5_000;

/** For a client or a pool of pg. */
export function clientConfig(settings: ConnectionSettings, { pg }: StorePackages): ClientConfig {
  const { address } = settings;
  return {
    ...{ host: address.host, port: address.port },
    ...(address.user !== undefined && { user: address.user }),
    ...(address.password !== undefined && { password: address.password }),
    ...(address.database !== undefined && { database: address.database }),
    ssl: settings.isTls ? tlsOptions(address, settings.ca) : false,
    fallback_application_name: 'evfwd',
    connectionTimeoutMillis: connectWithinMs,
    query_timeout: answerWithinMs,
    stream: () => new BatchingSocket(),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser: parserOf(pg) },
  };
}

/**
 * Settings of a session, whatever role, database and server have as their defaults. A pooler refuses most of them among
 * the parameters of a connection, so they are a statement of their own. `jit` is off: PostgreSQL overestimates how many
 * elements JSON has, and compiled a query of 10 ms for 60 ms.
 *
 * @param statementMs how long a statement may take, in milliseconds
 */
export async function prepareSession(
  client: ClientBase,
  statementMs = answerWithinMs,
): Promise<void> {
  await client.query(
    `SET statement_timeout = ${statementMs}; SET idle_in_transaction_session_timeout = ${idleInTransactionMs}; SET client_min_messages = error; SET default_transaction_isolation = 'read committed'; SET jit = off`,
  );
}

/** As libpq: `require` looks at the certificate only if it was given authorities. */
function tlsOptions({ host, sslMode }: StoreAddress, ca: readonly string[]): ConnectionOptions {
  const trusted = ca.length > 0 ? { ca: [...ca] } : {};
  switch (sslMode) {
    case 'verify-full':
      return { ...trusted, rejectUnauthorized: true, ...(isName(host) && { servername: host }) };
    case 'verify-ca':
      return { ...trusted, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'require':
    case 'prefer':
      return ca.length > 0 && sslMode === 'require'
        ? { ...trusted, rejectUnauthorized: true, checkServerIdentity: () => undefined }
        : { rejectUnauthorized: false };
    case 'disable':
      return {};
  }
}

function isName(host: string): boolean {
  return !host.includes(':') && !/^[\d.]+$/.test(host);
}

/** Counts of 64 bits are numbers to us: none comes near 2^53. */
function parserOf({ types }: StorePackages['pg']): typeof types.getTypeParser {
  type Oid = Parameters<typeof types.getTypeParser>[0];
  const parser = (oid: Oid, format: string): unknown =>
    oid === types.builtins.INT8 && format !== 'binary'
      ? Number
      : types.getTypeParser(oid, format as 'text');
  return parser as typeof types.getTypeParser;
}
