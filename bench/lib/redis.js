import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** As docs/many-machines.md recommends: what is acknowledged survives a crash. */
const settings = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];

/**
 * Starts a redis-server on a free port of this machine, with its files in `folder`.
 * `clear()` removes all data, `stop()` ends it.
 */
export async function startRedis(folder) {
  const port = await freePort();
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const child = spawn('redis-server', [...place, ...settings], { stdio: 'ignore' });
  const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await Promise.race([ready(client), failure(child)]);
  return {
    url: `redis://127.0.0.1:${port}/0`,
    clear: () => client.flushall(),
    async stop() {
      client.disconnect();
      if (child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function ready(client) {
  await client.connect().catch(() => undefined);
  while (client.status !== 'ready') await wait(20);
}

async function failure(child) {
  await once(child, 'exit');
  throw new Error('redis-server has ended');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
