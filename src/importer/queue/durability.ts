import type { Redis } from 'ioredis';
import { isReplyError } from './reply-error.js';

/** A setting of the server, the value that loses nothing, and what is lost with another one. */
interface Setting {
  readonly name: string;
  readonly wanted: string;
  readonly risk: string;
}

const settings: readonly Setting[] = [
  {
    name: 'maxmemory-policy',
    wanted: 'noeviction',
    risk: 'a full server deletes parts of the queue, and events are lost',
  },
  {
    name: 'appendonly',
    wanted: 'yes',
    risk: 'a restart of the server loses runs and retries',
  },
  {
    name: 'appendfsync',
    wanted: 'always',
    risk: 'a crash of its machine loses the last second or two, whose events are sent again',
  },
];

/** A line for each setting that may lose something, or that cannot be read. */
export async function durabilityWarnings(client: Redis): Promise<string[]> {
  const values = await Promise.all(settings.map(({ name }) => read(client, name)));
  if (values.includes(undefined)) return [unreadable];
  return settings.flatMap(({ name, wanted, risk }, index) => {
    const value = values[index]!;
    return value === wanted
      ? []
      : [`the server has ${name} ${value}: ${risk}; set ${name} ${wanted}`];
  });
}

const unreadable = `the server does not let its configuration be read (CONFIG GET), so what a crash may lose is unknown; it should have ${settings.map(({ name, wanted }) => `${name} ${wanted}`).join(', ')}`;

/** Undefined where the user, or the provider of the server, does not allow it. */
async function read(client: Redis, name: string): Promise<string | undefined> {
  try {
    const [, value] = await client.config('GET', name);
    return value;
  } catch (error) {
    if (isReplyError(error)) return undefined;
    throw error;
  }
}
