import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../../helpers/folder.js';
import { inProcess } from '../../../helpers/in-process.js';
import { RedisServer } from '../../../helpers/redis-server.js';
import { hasTool } from '../../../helpers/tools.js';

const target = ['--url', 'http://127.0.0.1:9/hook'];

describe('import --queue', () => {
  it.each([
    ['--limit', '3'],
    ['--speed', '1x'],
    ['--transform', 'x.mjs'],
    ['--log', 'x'],
    ['--threads', '2'],
    ['--concurrency', '2'],
  ])('refuses %s, which one process alone can do', async (...flag) => {
    const file = join(folderWith({ 'h.ndjson': '{}\n' }), 'h.ndjson');
    const args = ['import', file, ...target, ...flag];
    const { code, stderr } = await inProcess(args, { env: { EVFWD_QUEUE: 'redis://:pw@h/0' } });
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag[0]} cannot be used with EVFWD_QUEUE`);
    expect(stderr).not.toContain('pw');
  });

  it('refuses --detach without a queue', async () => {
    const { code, stderr } = await inProcess(['import', 'h.ndjson', ...target, '--detach']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--detach needs --queue')]);
  });

  it.skipIf(!hasTool('redis-server'))('plans a run once, however often it is called', async () => {
    const redis = await RedisServer.start();
    const file = join(folderWith({ 'h.ndjson': '{}\n'.repeat(9) }), 'h.ndjson');
    const args = ['import', file, ...target, '--queue', redis.url, '--detach'];
    const [first, second] = await Promise.all([inProcess(args), inProcess(args)]);
    expect(first.stdout).toMatch(/^h-[a-z0-9]+\n$/);
    expect(second.stdout).toBe(first.stdout);
    expect(redis.command('LLEN', `evfwd:${first.stdout.trim()}-ranges:wait`)).toBe('1');
    const fresh = await inProcess([...args, '--fresh']);
    expect(fresh.stdout).not.toBe(first.stdout);
  });

  describe.skipIf(!hasTool('redis-server'))('with a server', () => {
    it('prints the id alone with --detach, also with --json', async () => {
      const { redis, args } = await planned('{}\n');
      const { code, stdout } = await inProcess([...args, '--detach', '--json']);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^h-[a-z0-9]+\n$/)]);
      expect(redis.command('EXISTS', `evfwd:run:${stdout.trim()}`)).toBe('1');
    });

    it('says that a run which is joined keeps its schemes', async () => {
      const { args } = await planned('{}\n'.repeat(9));
      const env = { EVFWD_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
      const first = await inProcess([...args, '--detach', '--scheme', 'standard-webhooks'], {
        env,
      });
      const also = ['--scheme', 'stripe', '--also-scheme', 'github'];
      const second = await inProcess([...args, '--detach', ...also], { env });
      expect(second.stdout).toBe(first.stdout);
      expect(second.stderr).toContain(
        `--scheme, --also-scheme: run ${first.stdout.trim()} keeps what it was planned with`,
      );
    });

    it('finishes a run of empty files at once', async () => {
      const { redis, args } = await planned('');
      const { stdout, stderr } = await inProcess([...args, '--detach']);
      const run = stdout.trim();
      expect(stderr).toContain(`run ${run}: the files are empty`);
      expect(redis.command('HGET', `evfwd:run:${run}`, 'status')).toBe('finished');
      expect((await inProcess(args)).code).toBe(0);
    });

    it('refuses a run of another format with one line', async () => {
      const { redis, args } = await planned('{}\n');
      const run = (await inProcess([...args, '--detach'])).stdout.trim();
      redis.command('HSET', `evfwd:run:${run}`, 'plan', '{"format":7,"program":"9.9.9"}');
      const { code, stderr } = await inProcess(args);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `evfwd: run ${run} was planned by evfwd 9.9.9, in a format that this version does not know`,
      );
      expect((await inProcess([...args, '--detach', '--fresh'])).code).toBe(0);
    });

    it('makes a new run where the last one ended 7 days ago', async () => {
      const { redis, args } = await planned('');
      const old = (await inProcess([...args, '--detach'])).stdout.trim();
      const endedAt = String(Date.now() - 7.01 * 24 * 3_600_000).split('.')[0]!;
      redis.command('HSET', `evfwd:run:${old}`, 'endedAt', endedAt);
      const run = (await inProcess([...args, '--detach'])).stdout.trim();
      expect(run).not.toBe(old);
      redis.command('HSET', `evfwd:run:${run}`, 'endedAt', endedAt);
      const { stdout } = await inProcess(['runs', '--json', '--queue', redis.url]);
      expect(stdout).toBe('');
      expect(redis.command('KEYS', 'evfwd:*')).toBe('');
    });
  });
});

async function planned(text: string) {
  const redis = await RedisServer.start();
  const file = join(folderWith({ 'h.ndjson': text }), 'h.ndjson');
  return { redis, args: ['import', file, ...target, '--queue', redis.url] };
}
