import type { Redis } from 'ioredis';
import { UsageError } from '../../errors.js';
import { isReplyError } from './reply-error.js';
import { durabilityWarnings } from './durability.js';
import type { QueuePackages } from './packages.js';
import { baseOptions } from './redis-client.js';
import type { ServerAddress } from './server-address.js';
import { startFailure, startTimedOut } from './start-failure.js';

const startWithinMs = 5_000;
/** The first version with all commands that BullMQ and we use. */
const minVersion = [6, 2] as const;

/** What is known of a server after it was checked. */
export interface CheckedServer {
  /** What must be sent to log in: nothing where the server wants no password. */
  readonly login: Pick<ServerAddress, 'username' | 'password'>;
  /** One line each: what can be lost with its configuration. */
  readonly warnings: readonly string[];
}

/**
 * Connects once, logs in, and reads version and configuration.
 *
 * @throws UsageError, one line without password, when the server cannot be used
 */
export async function checkServer(
  address: ServerAddress,
  ca: readonly string[],
  { Redis: RedisClient }: QueuePackages,
): Promise<CheckedServer> {
  const client = new RedisClient({
    ...baseOptions(address, ca),
    db: 0,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: null,
    connectTimeout: startWithinMs,
  });
  let failure: Error | undefined;
  client.on('error', (error: Error) => (failure ??= error));
  const timer = timeout(address);
  try {
    return await Promise.race([check(client, address), timer.expired]);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw startFailure(address, isReplyError(error) ? error : (failure ?? error));
  } finally {
    timer.cancel();
    client.disconnect();
  }
}

function timeout(address: ServerAddress): { expired: Promise<never>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(startTimedOut(address, startWithinMs)), startWithinMs);
  });
  return { expired, cancel: () => clearTimeout(timer) };
}

async function check(client: Redis, address: ServerAddress): Promise<CheckedServer> {
  await client.connect();
  const login = await logIn(client, address);
  await client.ping();
  if (address.db !== 0) await client.select(address.db);
  const info = await client.info('server');
  checkVersion(address, info);
  checkMode(address, info);
  return { login, warnings: await durabilityWarnings(client) };
}

/** A password for a server that wants none is left out, as ioredis would print a warning of its own. */
async function logIn(client: Redis, address: ServerAddress): Promise<CheckedServer['login']> {
  const { username, password } = address;
  if (password === undefined) return { username: undefined, password: undefined };
  try {
    await (username === undefined ? client.auth(password) : client.auth(username, password));
    return { username, password };
  } catch (error) {
    if (!isReplyError(error) || !wantsNoPassword(error.message)) throw error;
    return { username: undefined, password: undefined };
  }
}

function wantsNoPassword(message: string): boolean {
  return /without any password configured|no password is set/.test(message);
}

/** The scripts use keys of several slots. */
function checkMode({ named }: ServerAddress, info: string): void {
  if (!/^redis_mode:cluster\b/m.test(info)) return;
  throw new UsageError(
    `${named}: is a Redis Cluster, which is not supported; use a server without cluster mode`,
    'queue_server_cluster',
  );
}

/** Valkey says which version of Redis it is compatible with. */
function checkVersion({ named }: ServerAddress, info: string): void {
  const [, major = '', minor = ''] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  const isOlder =
    Number(major) < minVersion[0] ||
    (Number(major) === minVersion[0] && Number(minor) < minVersion[1]);
  if (major !== '' && !isOlder) return;
  const found = major === '' ? 'does not say its version' : `is Redis ${major}.${minor}`;
  throw new UsageError(
    `${named}: ${found}; version ${minVersion.join('.')} or newer, or Valkey, is needed`,
    'queue_server_too_old',
  );
}
