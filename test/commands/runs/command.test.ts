import { describe, expect, it } from 'vitest';
import { inProcess } from '../../helpers/in-process.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';
import { connectTo, planRun, workOnRange } from './planned-run.js';
import { plan } from '../../helpers/run-snapshots.js';

const mib = 1_048_576;
const file = plan.files[0]!;
const twoRanges = { files: [{ ...file, size: 16 * mib }] };

describe('runs, without a server', () => {
  it('says that the queue is missing', async () => {
    const { code, stdout, stderr } = await inProcess(['runs', 'show', 'history']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^evfwd: .*--queue.*EVFWD_QUEUE.*\n$/);
  });

  it('suggests the nearest subcommand, and names them all', async () => {
    const { code, stderr } = await inProcess(['runs', 'shwo', 'history']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'evfwd: "shwo" is not a subcommand of evfwd runs (Did you mean show?); use one of list, show, pause, resume, cancel, dead-letters, verify, remove\n',
    );
  });

  it('refuses more arguments than a subcommand has', async () => {
    const show = await inProcess(['runs', 'show', 'a', 'b']);
    expect(show.code).toBe(2);
    expect(show.stderr).toMatch(
      /^evfwd: unexpected argument "b": evfwd runs show takes one argument/,
    );
    const remove = ['runs', 'remove', 'a', 'b', '--queue', 'redis://127.0.0.1:1/0'];
    expect(await inProcess(remove)).toMatchObject({
      code: 2,
      stderr:
        'evfwd: unexpected argument: of a server, evfwd runs remove takes one <id>; see evfwd runs remove --help\n',
    });
  });

  it.each(['show', 'pause', 'resume', 'cancel', 'dead-letters', 'verify', 'remove'])(
    'says that %s needs an id',
    async (name) => {
      const { code, stderr } = await inProcess(['runs', name, '--queue', 'redis://127.0.0.1:1/0']);
      expect(code).toBe(2);
      expect(stderr).toBe(
        `evfwd: <id> is missing: id of the run, or a unique beginning of it; see evfwd runs ${name} --help\n`,
      );
    },
  );
});

describe.skipIf(!hasTool('redis-server'))('runs', () => {
  it('says how to start a run where there is none', async () => {
    const { url } = await RedisServer.start();
    expect(await inProcess(['runs', '--queue', url])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `no runs on ${url}; start one with: evfwd import history.ndjson --url https://example.com/hook --queue ${url}\n`,
    });
    const json = await inProcess(['runs', 'list', '--json'], { env: { EVFWD_QUEUE: url } });
    expect(json).toMatchObject({ code: 0, stdout: '' });
  });

  it('warns of what the server may lose, unless it only reads', async () => {
    const server = await RedisServer.start({ appendfsync: 'everysec' });
    const id = await planRun(await connectTo(server), 'history', twoRanges);
    const stderrOf = async (...args: string[]) =>
      (await inProcess(['runs', ...args, '--queue', server.url])).stderr;
    const warning = /^queue: the server has appendfsync everysec/m;
    for (const name of ['pause', 'resume', 'verify', 'cancel']) {
      expect(await stderrOf(name, id)).toMatch(warning);
    }
    expect(await stderrOf()).toBe('');
    expect(await stderrOf('list')).toBe('');
    for (const name of ['show', 'dead-letters']) {
      expect(await stderrOf(name, id)).not.toMatch(warning);
    }
    expect(await stderrOf('list', '--require-durable')).toContain('--require-durable: ');
    expect(await stderrOf('remove', id)).toMatch(warning);
  });

  it('lists runs, the newest first', async () => {
    const server = await RedisServer.start();
    const queue = await connectTo(server);
    const first = await planRun(queue, 'history', twoRanges);
    await workOnRange(queue, first, { stats: { delivered: 1_500, failed: 2 } });
    const second = await planRun(queue, 'orders');
    const { code, stdout, stderr } = await inProcess(['runs', '--queue', server.url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^run .*status .*progress .*done .*events .*failed .*workers .*age$/);
    expect(lines[1]).toMatch(new RegExp(`^${second} +running +░+ +0% +0 +0 +0 +\\d+ s$`));
    expect(lines[2]).toMatch(new RegExp(`^${first} +running +█+░+ +50% +1,502 +2 +0 +\\d+ s$`));
    expect(lines).toHaveLength(3);
  });

  it('prints a line per run with --json', async () => {
    const server = await RedisServer.start();
    const queue = await connectTo(server);
    const id = await planRun(queue, 'history', twoRanges);
    await workOnRange(queue, id, {
      stats: { delivered: 5, rejected: 1, skipped: 2 },
      failure: 'the file has changed since the run was planned',
    });
    const { stdout } = await inProcess(['runs', '--json', '--queue', server.url]);
    expect(JSON.parse(stdout)).toEqual({
      type: 'run',
      id,
      state: 'running',
      ranges: { total: 2, done: 0, failed: 1 },
      ...{ read: 8, delivered: 5, rejected: 1, failed: 0, skipped: 2, retrying: 0 },
      problems: [
        { file: file.path, message: 'the file has changed since the run was planned', ranges: 1 },
      ],
    });
    const shown = await inProcess(['runs', 'show', 'hist', '--json', '--queue', server.url]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, read: 8, files: [file.path] });
  });

  it('takes the flags of the queue before and behind the subcommand', async () => {
    const server = await RedisServer.start();
    const id = await planRun(await connectTo(server));
    const flags = ['--queue', server.url];
    const before = await inProcess(['runs', ...flags, 'show', id]);
    const behind = await inProcess(['runs', 'show', id, ...flags]);
    expect(before.stdout).toContain(`run        ${id}\n`);
    expect(behind).toMatchObject({ code: 0, stderr: before.stderr });
    expect(before.stderr).toBe(
      [
        '',
        'next:',
        `  evfwd worker --queue ${server.url}`,
        `  evfwd runs pause ${id} --queue ${server.url}`,
        `  evfwd runs cancel ${id} --queue ${server.url}`,
        '',
      ].join('\n'),
    );
  });

  it('never shows the password of the URL', async () => {
    const server = await RedisServer.start({ requirepass: 'hunter2' });
    const url = server.url.replace('//', '//:hunter2@');
    const id = await planRun(await connectTo({ url }));
    for (const args of [['runs'], ['runs', 'show', id], ['runs', 'pause', id]]) {
      const { code, stdout, stderr } = await inProcess([...args, '--queue', url]);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain('hunter2');
    }
    const { stderr } = await inProcess(['runs', 'show', id, '--queue', url]);
    expect(stderr).toContain(`next (set EVFWD_QUEUE first):\n`);
    expect(stderr).toContain(`  evfwd runs resume ${id}\n`);
  });

  it('pauses, resumes, cancels and removes a run', async () => {
    const server = await RedisServer.start();
    const id = await planRun(await connectTo(server));
    const run = (...args: string[]) => inProcess(['runs', ...args, '--queue', server.url]);
    const running = await run('remove', id);
    expect(running.code).toBe(2);
    expect(running.stderr).toMatch(/^evfwd: cannot remove .*: it is running; cancel it first: /);
    for (const [name, state] of [
      ['pause', 'paused'],
      ['resume', 'running'],
      ['cancel', 'cancelled'],
    ] as const) {
      const changed = await run(name, id, '--json');
      expect(JSON.parse(changed.stdout)).toMatchObject({ type: 'run', id, state });
      const again = await run(name, id, '--json');
      expect(again).toMatchObject({ code: 0, stdout: changed.stdout });
      expect(again.stderr).toBe(`${id} is already ${state}\n`);
    }
    expect(await run('resume', id)).toMatchObject({ code: 2, stdout: '' });
    const removed = await run('remove', id, '--json');
    expect(JSON.parse(removed.stdout)).toMatchObject({ id, state: 'cancelled' });
    expect(await run('show', id)).toMatchObject({ code: 2, stdout: '' });
    expect(server.command('KEYS', '*')).toBe('');
  });

  it('says how many dead letters a removed run had', async () => {
    const server = await RedisServer.start();
    const queue = await connectTo(server);
    const id = await planRun(queue);
    const deadLetters = [Buffer.from('{}\n')];
    await workOnRange(queue, id, { stats: { delivered: 1, failed: 1 }, deadLetters });
    const { code, stderr } = await inProcess(['runs', 'remove', id, '--queue', server.url]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^removed .*: 1 range and all counts\nits 1 dead letter on the server/);
  });

  it('prints all dead letters as they are, and removes none', async () => {
    const server = await RedisServer.start();
    const queue = await connectTo(server);
    const id = await planRun(queue);
    const lines = Array.from(
      { length: 1_001 },
      (_, i) => `{"type":"dead-letter","n":${i},"é":"\\u0000"}\n`,
    );
    const deadLetters = lines.map((line) => Buffer.from(line));
    await workOnRange(queue, id, { stats: { failed: lines.length }, deadLetters });
    const args = ['runs', 'dead-letters', id, '--queue', server.url];
    for (let time = 0; time < 2; time++) {
      expect(await inProcess(args)).toMatchObject({ code: 0, stderr: '', stdout: lines.join('') });
    }
  });

  it('says on standard error when there are no dead letters', async () => {
    const server = await RedisServer.start();
    const id = await planRun(await connectTo(server));
    const args = ['runs', 'dead-letters', id, '--queue', server.url];
    const said = { code: 0, stdout: '', stderr: `${id} has no dead letters\n` };
    expect(await inProcess(args)).toMatchObject(said);
    expect(await inProcess([...args, '-q'])).toMatchObject({ ...said, stderr: '' });
  });

  it('verifies a run: puts back what failed, and says when counts do not add up', async () => {
    const server = await RedisServer.start();
    const queue = await connectTo(server);
    const id = await planRun(queue, 'history', twoRanges);
    const verify = (...flags: string[]) =>
      inProcess(['runs', 'verify', id, '--queue', server.url, ...flags]);
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: `${id}: compared 2 ranges with the plan, and the totals with the ranges\nnothing is missing, and all counts add up\n`,
    });
    await workOnRange(queue, id, { stats: { delivered: 3 }, failure: 'the file is missing' });
    const restored = await verify();
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain('put back, because missing or failed: 1 range\n');
    expect(restored.stderr).toBe(
      `no worker is at work on it; start one with: evfwd worker --queue ${server.url}\n`,
    );
    server.command('HINCRBY', `evfwd:run:${id}:stats`, 'delivered', '1');
    const different = await verify();
    expect(different.code).toBe(3);
    expect(different.stdout).toContain('delivered: the total is 4, the ranges add up to 3\n');
    const json = await verify('--json');
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toEqual({
      type: 'verify',
      id,
      state: 'running',
      ranges: { total: 2, done: 0, failed: 0 },
      restored: { ranges: 0, retries: 0 },
      differences: [{ name: 'delivered', total: 4, sum: 3 }],
    });
  });
});
