import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisServer } from '../helpers/redis-server.js';

const readers: Readonly<Record<string, readonly string[]>> = {
  string: ['GET'],
  hash: ['HGETALL'],
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1', 'WITHSCORES'],
  stream: ['XRANGE', '-', '+'],
};

/** All keys of a server and their values, as redis-cli prints them. */
export function storedText(redis: RedisServer): string {
  const keys = redis.command('--scan').split('\n');
  return keys
    .map((key) => {
      const [reader = 'GET', ...rest] = readers[redis.command('TYPE', key)] ?? [];
      return `${key}\n${redis.command(reader, key, ...rest)}`;
    })
    .join('\n');
}

/** Every write that the server has seen since it was started. */
export function appendOnlyText(redis: RedisServer): string {
  const folder = join(redis.folder, 'appendonlydir');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}
