import type { Redis, RedisOptions } from 'ioredis';
import type { ServerAddress } from './server-address.js';
import { allTrusted } from '../../http/tls.js';
import type { Script } from './scripts/index.js';

/** The longest wait between two attempts to reconnect. */
const maxReconnectMs = 1_000;

/**
 * A connection that was cut without a word is replaced after so long without any response. A worker that
 * waits for an item is answered within 10 s.
 */
const socketTimeoutMs = 15_000;

/** Options that every version of a server understands. */
export type ClientOptions = RedisOptions & { readonly replyMapping: 'legacy' };

/** What all connections to a server have. */
export function baseOptions(address: ServerAddress, ca: readonly string[]): ClientOptions {
  const { host, port, db, isTls } = address;
  return {
    ...{ host, port, db },
    // RESP3 gains nothing here, and its HELLO may be forbidden to a user.
    protocol: 2,
    replyMapping: 'legacy',
    disableClientInfo: true,
    connectTimeout: 5_000,
    ...(isTls && { tls: { ...tlsOptions(ca), servername: nameFor(host) } }),
  };
}

/** A connection that waits for the server for as long as it takes, and sends again what was not answered. */
export function lastingOptions(
  address: ServerAddress,
  ca: readonly string[],
  login: Pick<ServerAddress, 'username' | 'password'>,
): ClientOptions {
  return {
    ...baseOptions(address, ca),
    ...(login.username !== undefined && { username: login.username }),
    ...(login.password !== undefined && { password: login.password }),
    maxRetriesPerRequest: null,
    // A server that hangs does not close its side.
    disconnectTimeout: 500,
    socketTimeout: socketTimeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 50, maxReconnectMs),
  };
}

function tlsOptions(ca: readonly string[]): { rejectUnauthorized: true; ca?: string[] } {
  return { rejectUnauthorized: true, ...(ca.length > 0 && { ca: allTrusted(ca) }) };
}

/** An address has no place in the name extension of TLS. */
function nameFor(host: string): string | undefined {
  return /^[\d.]+$|:/.test(host) ? undefined : host;
}

/** Scripts of ours have names of their own, beside those that BullMQ defines on the same connection. */
export function defineScripts(client: Redis, scripts: readonly Script[]): void {
  for (const { name, keys, lua } of scripts) {
    client.defineCommand(`evfwd:${name}`, { numberOfKeys: keys, lua });
  }
}

type ScriptCall = (...args: (string | number | Buffer)[]) => Promise<unknown>;

/** Runs a script that was defined; ioredis sends its text only where the server does not know it. */
export function runScript(
  client: Redis,
  { name }: Script,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
  result: '' | 'Buffer' = '',
): Promise<unknown> {
  const call = (client as unknown as Record<string, ScriptCall>)[`evfwd:${name}${result}`]!;
  return call.apply(client, [...keys, ...args]);
}
