import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openQueue } from '../../../src/commands/shared/queue-flags.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

function io(env: Record<string, string> = {}) {
  const stderr = new PassThrough();
  const exit = () => undefined;
  return { stdin: new PassThrough(), stdout: new PassThrough(), stderr, env, cwd: '/', exit };
}

describe('the flags of a queue', () => {
  it('are wrong without a server', async () => {
    await expect(openQueue({}, io())).rejects.toMatchObject({
      exitCode: 2,
      message: 'no queue: pass --queue redis://host:6379/0, or set EVFWD_QUEUE',
    });
  });

  it.each([
    ['redis://u:hunter2@127.0.0.1:1/3', ' redis://127.0.0.1:1/3: connection refused'],
    ['http://u:hunter2@host', ': the URL is not a redis:// or rediss:// URL'],
  ])('are named in errors by where the URL %s is from', async (url, problem) => {
    const byVariable = openQueue({}, io({ EVFWD_QUEUE: url }));
    await expect(byVariable).rejects.toThrow(new RegExp(`^EVFWD_QUEUE${problem}`));
    const byFlag = openQueue({ queue: url }, io({ EVFWD_QUEUE: 'redis://other' }));
    await expect(byFlag).rejects.toThrow(new RegExp(`^--queue${problem}`));
  });

  it('name --queue-ca when its file cannot be read', async () => {
    const flags = { queue: 'rediss://127.0.0.1:1', queueCa: '/nosuch.pem' };
    await expect(openQueue(flags, io())).rejects.toThrow(/^--queue-ca \/nosuch\.pem: /);
  });

  it('trust the authorities of --ca, too, where the connection has TLS', async () => {
    const flags = { queue: 'rediss://127.0.0.1:1', ca: '/nosuch.pem' };
    await expect(openQueue(flags, io())).rejects.toThrow(/^--ca \/nosuch\.pem: /);
    const plain = { queue: 'redis://127.0.0.1:1', ca: '/nosuch.pem' };
    await expect(openQueue(plain, io())).rejects.toThrow(/connection refused/);
  });

  it.skipIf(!hasTool('redis-server'))(
    'open the server of EVFWD_QUEUE and print warnings, unless quiet',
    async () => {
      const server = await RedisServer.start({ appendfsync: 'everysec' });
      const loud = io({ EVFWD_QUEUE: server.url });
      await (await openQueue({}, loud)).close();
      expect(String(loud.stderr.read())).toMatch(
        /^queue: the server has appendfsync everysec: .*\n$/,
      );
      const quiet = io({ EVFWD_QUEUE: server.url });
      await (await openQueue({ quiet: true }, quiet)).close();
      expect(quiet.stderr.read()).toBeNull();
    },
  );
});
