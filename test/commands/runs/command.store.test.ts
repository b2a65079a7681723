import { describe, expect, it } from 'vitest';
import { inProcess } from '../../helpers/in-process.js';
import { PostgresServer, sharedPostgres } from '../../helpers/postgres.js';
import { connectTo, planRun, workOnPart } from './planned-run.js';
import { plan } from '../../helpers/run-snapshots.js';

const mib = 1_048_576;
const file = plan.files[0]!;
const twoParts = { files: [{ ...file, size: 16 * mib }] };

describe('runs, without a store', () => {
  it('says that the store is missing', async () => {
    const { code, stdout, stderr } = await inProcess(['runs', 'show', 'history']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^evfwd: \S.*--store.*EVFWD_STORE.*\n$/);
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
    const remove = ['runs', 'remove', 'a', 'b', '--store', 'postgres://127.0.0.1:1/db'];
    expect(await inProcess(remove)).toMatchObject({
      code: 2,
      stderr:
        'evfwd: unexpected argument: of a store, evfwd runs remove takes one <id>; see evfwd runs remove --help\n',
    });
  });

  it.each(['show', 'pause', 'resume', 'cancel', 'dead-letters', 'verify', 'remove'])(
    'says that %s needs an id',
    async (name) => {
      const { code, stderr } = await inProcess([
        'runs',
        name,
        '--store',
        'postgres://127.0.0.1:1/db',
      ]);
      expect(code).toBe(2);
      expect(stderr).toBe(
        `evfwd: <id> is missing: id of the run, or a unique beginning of it; see evfwd runs ${name} --help\n`,
      );
    },
  );
});

const postgres = sharedPostgres();

/** A store, and the flags that name it. */
async function opened() {
  const { server, url, schema } = await postgres();
  const flags = ['--store', url, '--store-schema', schema];
  return { server, url, schema, flags };
}

describe('runs', () => {
  it('says how to start a run where there is none', async () => {
    const { server, url, schema, flags } = await opened();
    const { code, stdout, stderr } = await inProcess(['runs', ...flags]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(
      `no runs on ${server.shown}; start one with: evfwd import history.ndjson --url https://example.com/hook --store `,
    );
    expect(stderr).toContain(` --store-schema ${schema}\n`);
    const env = { EVFWD_STORE: url };
    const json = await inProcess(['runs', 'list', '--json', '--store-schema', schema], { env });
    expect(json).toMatchObject({ code: 0, stdout: '' });
  });

  it('warns of what the server may lose, unless it only reads', async () => {
    const server = await PostgresServer.start({ synchronous_commit: 'off' });
    const id = await planRun(await connectTo({ url: server.url, schema: 'evfwd' }));
    const stderrOf = async (...args: string[]) =>
      (await inProcess(['runs', ...args, '--store', server.url])).stderr;
    const warning = /^store: the server has synchronous_commit off/m;
    for (const name of ['pause', 'resume', 'verify', 'cancel']) {
      expect(await stderrOf(name, id)).toMatch(warning);
    }
    for (const args of [[], ['list'], ['show', id], ['dead-letters', id]]) {
      expect(await stderrOf(...args)).not.toMatch(warning);
    }
    expect(await stderrOf('list', '--require-durable')).toContain('synchronous_commit off');
  });

  it('lists runs, the newest first', async () => {
    const { flags, ...place } = await opened();
    const runs = await connectTo(place);
    const first = await planRun(runs, 'history', twoParts);
    await workOnPart(runs, first, { stats: { delivered: 1_500, failed: 2 } });
    const second = await planRun(runs, 'orders');
    const { code, stdout, stderr } = await inProcess(['runs', ...flags]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^run .*status .*progress .*done .*events .*failed .*workers .*age$/);
    expect(lines[1]).toMatch(new RegExp(`^${second} +running +░+ +0% +0 +0 +0 +\\d+ s$`));
    expect(lines[2]).toMatch(new RegExp(`^${first} +running +█+░+ +50% +1,502 +2 +0 +\\d+ s$`));
    expect(lines).toHaveLength(3);
  });

  it('prints a line per run with --json', async () => {
    const { flags, ...place } = await opened();
    const runs = await connectTo(place);
    const id = await planRun(runs, 'history', twoParts);
    await workOnPart(runs, id, {
      stats: { delivered: 5, rejected: 1, skipped: 2 },
      failure: 'the file has changed since the run was planned',
    });
    const { stdout } = await inProcess(['runs', '--json', ...flags]);
    expect(JSON.parse(stdout)).toEqual({
      type: 'run',
      id,
      state: 'running',
      parts: { total: 2, done: 0, failed: 1 },
      ...{ read: 8, delivered: 5, rejected: 1, failed: 0, skipped: 2, retrying: 0 },
      problems: [
        { file: file.path, message: 'the file has changed since the run was planned', parts: 1 },
      ],
    });
    const shown = await inProcess(['runs', 'show', 'hist', '--json', ...flags]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, read: 8, files: [file.path] });
  });

  it('takes the flags of the store before and behind the subcommand', async () => {
    const { flags, ...place } = await opened();
    const id = await planRun(await connectTo(place));
    const before = await inProcess(['runs', ...flags, 'show', id]);
    const behind = await inProcess(['runs', 'show', id, ...flags]);
    expect(before.stdout).toContain(`run        ${id}\n`);
    expect(behind).toMatchObject({ code: 0, stderr: before.stderr });
    const lines = before.stderr.split('\n');
    expect(lines.slice(0, 2)).toEqual(['', 'next:']);
    expect(lines[2]).toMatch(/^ {2}evfwd worker --store \S+ --store-schema \S+$/);
    expect(lines[3]).toContain(`  evfwd runs pause ${id} --store `);
  });

  it('never shows the password of the URL', async () => {
    const { url, schema } = await opened();
    const secret = url.replace('evfwd@', 'evfwd:hunter2@');
    const id = await planRun(await connectTo({ url, schema }));
    const flags = ['--store', secret, '--store-schema', schema];
    for (const args of [['runs'], ['runs', 'show', id], ['runs', 'pause', id]]) {
      const { code, stdout, stderr } = await inProcess([...args, ...flags]);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain('hunter2');
    }
    const { stderr } = await inProcess(['runs', 'show', id, ...flags]);
    expect(stderr).toContain(`next (set EVFWD_STORE first):\n`);
    expect(stderr).toContain(`  evfwd runs resume ${id} --store-schema ${schema}\n`);
  });

  it('pauses, resumes, cancels and removes a run', async () => {
    const { flags, ...place } = await opened();
    const id = await planRun(await connectTo(place));
    const run = (...args: string[]) => inProcess(['runs', ...args, ...flags]);
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
  });

  it('says how many dead letters a removed run had', async () => {
    const { flags, ...place } = await opened();
    const runs = await connectTo(place);
    const id = await planRun(runs);
    const deadLetters = [Buffer.from('{}\n')];
    await workOnPart(runs, id, { stats: { delivered: 1, failed: 1 }, deadLetters });
    const { code, stderr } = await inProcess(['runs', 'remove', id, ...flags]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^removed .*: 1 part and all counts\nits 1 dead letter in the store/);
  });

  it('prints all dead letters as they are, and removes none', async () => {
    const { flags, ...place } = await opened();
    const runs = await connectTo(place);
    const id = await planRun(runs);
    const lines = Array.from(
      { length: 1_001 },
      (_, i) => `{"type":"dead-letter","n":${i},"é":"\\u0000"}\n`,
    );
    const deadLetters = lines.map((line) => Buffer.from(line));
    await workOnPart(runs, id, { stats: { failed: lines.length }, deadLetters });
    const args = ['runs', 'dead-letters', id, ...flags];
    for (let time = 0; time < 2; time++) {
      expect(await inProcess(args)).toMatchObject({ code: 0, stderr: '', stdout: lines.join('') });
    }
  });

  it('says on standard error when there are no dead letters', async () => {
    const { flags, ...place } = await opened();
    const id = await planRun(await connectTo(place));
    const args = ['runs', 'dead-letters', id, ...flags];
    const said = { code: 0, stdout: '', stderr: `${id} has no dead letters\n` };
    expect(await inProcess(args)).toMatchObject(said);
    expect(await inProcess([...args, '-q'])).toMatchObject({ ...said, stderr: '' });
  });

  it('verifies a run: puts back what failed', async () => {
    const { flags, ...place } = await opened();
    const runs = await connectTo(place);
    const id = await planRun(runs, 'history', twoParts);
    const verify = (...more: string[]) => inProcess(['runs', 'verify', id, ...flags, ...more]);
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: `${id}: looked at 2 parts\nnothing is missing, and nothing has failed\n`,
    });
    await workOnPart(runs, id, { stats: { delivered: 3 }, failure: 'the file is missing' });
    const restored = await verify();
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain('put back, because missing or failed: 1 part\n');
    expect(restored.stderr).toMatch(
      /^no worker is at work on it; start one with: evfwd worker --store /,
    );
    const json = await verify('--json');
    expect(JSON.parse(json.stdout)).toEqual({
      type: 'verify',
      id,
      state: 'running',
      parts: { total: 2, done: 0, failed: 0 },
      restored: { parts: 0, retries: 0 },
    });
  });
});
