import { systemClock, type Clock } from '../../clock.js';
import { UsageError } from '../../errors.js';
import { checkServer } from './check-server.js';
import { QueueConnection } from './connection.js';
import { loadQueuePackages } from './packages.js';
import type { QueueServer } from './queue-server.js';
import { lastingOptions } from './redis-client.js';
import { RedisQueueServer } from './redis-queue-server.js';
import { parseServerUrl, type ServerAddress } from './server-address.js';
import { ServerClock } from './server-clock.js';
import type { QueueTrouble } from './troubles.js';

export type { QueueTrouble } from './troubles.js';

export interface ConnectQueueOptions {
  /** `redis:` or `rediss:`, with user, password and database if needed. */
  readonly url: string;
  /** Where the URL is from, as errors name it. Default `--queue`. */
  readonly source?: 'EVFWD_QUEUE' | '--queue';
  /** What the names of all keys begin with. */
  readonly prefix: string;
  /** PEM texts to trust beside those of this machine. Default none. */
  readonly ca?: readonly string[];
  /** Whether a server that may lose data is an error, not a warning. */
  readonly requiresDurable: boolean;
  /** Called with a line for each setting of the server that may lose data. */
  readonly onWarning: (line: string) => void;
  /** How many milliseconds of trouble later are waited for; then an error ends every operation. Default: any number. */
  readonly patienceMs?: number;
  /** Called when the connection is lost or silent or commands are refused, and when that is over. */
  readonly onTrouble: (trouble: QueueTrouble) => void;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
}

/**
 * Connects to a Redis server and checks it. Later, a lost connection is waited for.
 *
 * @throws UsageError when packages are missing, the URL is wrong, or the server cannot be used
 */
export async function connectQueue(options: ConnectQueueOptions): Promise<QueueServer> {
  checkPrefix(options.prefix);
  const { ca = [], clock = systemClock, source = '--queue' } = options;
  const address = parseServerUrl(options.url, source);
  const packages = loadQueuePackages();
  const { login, warnings } = await checkServer(address, ca, packages);
  if (options.requiresDurable && warnings.length > 0) throw notDurable(address, warnings);
  for (const line of warnings) options.onWarning(line);

  const client = new packages.Redis(lastingOptions(address, ca, login));
  const { onTrouble, patienceMs } = options;
  const { shown } = address;
  const connection = new QueueConnection({ client, shown, clock, onTrouble, patienceMs });
  const serverClock = new ServerClock(client, clock);
  await connection.run(() => serverClock.start());
  return new RedisQueueServer({ connection, packages, clock: serverClock, prefix: options.prefix });
}

function checkPrefix(prefix: string): void {
  if (/^[\w.:{}-]{1,64}$/.test(prefix)) return;
  throw new UsageError(
    '--queue-prefix must be 1 to 64 letters, digits or any of _ - . : { }',
    'queue_prefix_invalid',
  );
}

function notDurable({ named }: ServerAddress, warnings: readonly string[]): UsageError {
  return new UsageError(
    `${named}: --require-durable: ${warnings.join('; also ')}`,
    'queue_not_durable',
  );
}
