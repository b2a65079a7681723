import { appendFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { folderWith } from '../../../helpers/folder.js';
import type { TakenItem } from '../../../../src/importer/shared/item.js';
import { inProcess } from '../../../helpers/in-process.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { takeOne, testCommit, testRuns } from '../../../helpers/runs.js';

const target = ['--url', 'http://127.0.0.1:9/hook'];

const postgres = sharedPostgres();

describe('what was in place of --store', () => {
  it.each(['--queue', '--queue-prefix', '--queue-ca', '--ranges'])(
    '%s says what to use',
    async (name) => {
      const { code, stderr } = await inProcess(['worker', name, 'redis://:pw@h/0']);
      expect(code).toBe(2);
      expect(stderr).toContain(`${name} is gone`);
      expect(stderr).toContain('--store');
      expect(stderr).not.toContain('pw');
    },
  );

  it.each([['import', 'h.ndjson', ...target], ['worker'], ['runs']])(
    'EVFWD_QUEUE is refused by %s',
    async (...args) => {
      const env = { EVFWD_QUEUE: 'redis://:pw@h/0' };
      const { code, stderr } = await inProcess(args, { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining('use --store postgres://')]);
      expect(stderr).not.toContain('pw');
    },
  );
});

describe('import --store', () => {
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
    const { code, stderr } = await inProcess(args, {
      env: { EVFWD_STORE: 'postgres://u:pw@h/db' },
    });
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag[0]} cannot be used with EVFWD_STORE`);
    expect(stderr).not.toContain('pw');
  });

  it('refuses --detach without a store', async () => {
    const { code, stderr } = await inProcess(['import', 'h.ndjson', ...target, '--detach']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--detach needs --store')]);
  });

  it('plans a run once, however often it is called', async () => {
    const { args: base } = await planned('{}\n'.repeat(9));
    const args = [...base, '--detach'];
    const [first, second] = await Promise.all([inProcess(args), inProcess(args)]);
    expect(first.stdout).toMatch(/^h-[a-z0-9]+\n$/);
    expect(second.stdout).toBe(first.stdout);
    const fresh = await inProcess([...args, '--fresh']);
    expect(fresh.stdout).not.toBe(first.stdout);
  });

  describe('with a server', () => {
    it('prints the id alone with --detach, also with --json', async () => {
      const { args } = await planned('{}\n');
      const { code, stdout } = await inProcess([...args, '--detach', '--json']);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^h-[a-z0-9]+\n$/)]);
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

    it('makes another run for another query, secret or header value, and names the one that goes on', async () => {
      const { place, file, flags, args } = await planned('{}\n');
      const base = ['import', file, ...flags, '--detach', '--url'];
      const calls: [string[], Record<string, string>?][] = [
        // Both queries have the same check value.
        [[...base, 'http://127.0.0.1:9/hook?tenant=147']],
        [[...base, 'http://127.0.0.1:9/hook?tenant=299']],
        [[...base, ...target.slice(1), '-H', 'X-Tenant: hidden-one']],
        [[...base, ...target.slice(1), '-H', 'X-Tenant: hidden-two']],
        [args.concat('--detach'), { EVFWD_SECRET: 'hidden-one' }],
        [args.concat('--detach'), { EVFWD_SECRET: 'hidden-two' }],
      ];
      const runs: string[] = [];
      for (const [call, env = {}] of calls) {
        const { stdout, stderr } = await inProcess(call, { env });
        const run = stdout.trim();
        expect(runs).not.toContain(run);
        expect(stderr).not.toMatch(/tenant=|hidden/);
        for (const other of runs) expect(stderr).toContain(`run ${other} sends the same files`);
        expect(stderr).not.toContain(`run ${run} sends`);
        runs.push(run);
        const again = await inProcess(call, { env });
        expect(again.stdout.trim()).toBe(run);
        expect(again.stderr).not.toContain('sends the same files');
      }
      const rows = await place.server.sql(`SELECT * FROM ${place.schema}.run`);
      expect(JSON.stringify(rows)).not.toMatch(/tenant=|hidden/);
    });

    it('uses the store of a configuration file that is named', async () => {
      const { place, file } = await planned('{}\n');
      const folder = folderWith({
        'c.yaml':
          'store: ${STORE_URL}\nprofiles: { p: { webhooks: { endpoints: [{ url: "http://127.0.0.1:9/" }] } } }\n',
      });
      const named = ['--config', join(folder, 'c.yaml'), '--profile', 'p'];
      const env = { STORE_URL: place.url };
      const args = ['import', file, ...named, '--store-schema', place.schema];
      const refused = await inProcess([...args, '--limit', '1'], { env });
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('--limit cannot be used with store of the configuration file'),
      ]);
      const planner = inProcess([...args, '--json'], { env });
      const { runs } = await testRuns(place);
      await expect.poll(() => runs.list()).toHaveLength(1);
      await runs.cancel((await runs.list())[0]!.id);
      expect((await planner).code).toBe(3);
    });

    it('counts what a worker still had in flight when the run stopped', async () => {
      const { place, args } = await planned('{}\n'.repeat(3));
      const planner = inProcess([...args, '--json']);
      const { runs } = await testRuns(place);
      await expect.poll(() => runs.list()).toHaveLength(1);
      const run = (await runs.list())[0]!.id;
      let item!: TakenItem;
      // A worker reports each 2 s: what it has taken since then is not in its report.
      await runs.report(run, { id: 'w', items: 0 });
      await expect.poll(async () => (item = await takeOne(runs, run))).toBeDefined();
      await runs.pause(run, 'too many failures');
      // The planner looks twice a second.
      await wait(1_500);
      await runs.commit(item.ref, testCommit(1, 3));
      await runs.leave(run, 'w');
      const { code, stdout } = await planner;
      expect(code).toBe(3);
      expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({ delivered: 3 });
    });

    it('refuses a new run in whose period nothing can be, and joins one that began before', async () => {
      const { place, args } = await planned('{}\n');
      const { runs } = await testRuns(place);
      vi.useFakeTimers({ now: Date.parse('2026-10-01T12:30:00Z'), toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      const since = [...args, '--detach', '--since', '1h', '--until'];
      const refused = await inProcess([...since, '2026-10-01T11:00:00Z']);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain(
        '\nevfwd: --since, --until: since (2026-10-01T11:30:00.000Z) is later than until (2026-10-01T11:00:00.000Z), so nothing is between them; swap them\n',
      );
      expect(await runs.list()).toEqual([]);
      const command = [...since, '2026-10-01T13:00:00Z'];
      const run = (await inProcess(command)).stdout;
      vi.setSystemTime(Date.parse('2026-10-02T12:30:00Z'));
      expect(await inProcess(command)).toMatchObject({ code: 0, stdout: run });
      expect((await inProcess([...command, '--fresh'])).code).toBe(2);
    });

    it('finishes a run of empty files at once', async () => {
      const { place, args } = await planned('');
      const { stdout, stderr } = await inProcess([...args, '--detach']);
      const run = stdout.trim();
      expect(stderr).toContain(`run ${run}: the files are empty`);
      const rows = await place.server.sql(`SELECT status FROM ${place.schema}.run`);
      expect(rows).toEqual([{ status: 'finished' }]);
      expect((await inProcess(args)).code).toBe(0);
    });

    it.each<[string, string, (file: string) => void]>([
      [
        'was replaced',
        'has 18 bytes, not 9',
        (file) => writeFileSync(file, '{"a":"replaced"}\n\n'),
      ],
      ['has grown', 'has 12 bytes, not 9', (file) => appendFileSync(file, '{}\n')],
      [
        'was replaced by one of the same size',
        'was modified 2026-01-02T00:00:00.000Z, not ',
        (file) => utimesSync(file, 0, Date.parse('2026-01-02') / 1_000),
      ],
    ])(
      'does not answer for a file that %s, in whatever state its run is',
      async (_, how, change) => {
        const { place, args, file } = await planned('{}\n'.repeat(3));
        const run = (await inProcess([...args, '--detach'])).stdout.trim();
        const { mtimeMs } = statSync(file);
        change(file);
        const message = `has changed since run ${run} was planned: it ${how}`;
        for (const [status, advice] of [
          ['running', 'restore it, or use --fresh to cancel that run and make a new one'],
          ['finished', 'restore it, or use --fresh to make a new run'],
        ] as const) {
          await place.server.sql(`UPDATE ${place.schema}.run SET status = '${status}'`);
          const { code, stdout, stderr } = await inProcess([...args, '--json']);
          expect([code, stdout]).toEqual([2, '']);
          const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!) as {
            error: { code: string; message: string };
          };
          expect(error.code).toBe('file_changed');
          expect(error.message).toContain(`${file}: ${message}`);
          expect(error.message).toContain(advice);
        }
        writeFileSync(file, '{}\n'.repeat(3));
        utimesSync(file, mtimeMs / 1_000, mtimeMs / 1_000);
        // The one that has finished answers again for the file that it has sent.
        const again = await inProcess([...args, '--detach']);
        expect([again.code, again.stdout.trim()]).toEqual([0, run]);
        change(file);
        const fresh = await inProcess([...args, '--detach', '--fresh']);
        expect(fresh.code).toBe(0);
        expect(fresh.stdout.trim()).not.toBe(run);
      },
    );

    it('refuses a run of another format with one line', async () => {
      const { place, args } = await planned('{}\n');
      const run = (await inProcess([...args, '--detach'])).stdout.trim();
      const foreign = '{"format":7,"program":"9.9.9"}';
      await place.server.sql(`UPDATE ${place.schema}.run SET plan = $1`, [foreign]);
      const { code, stderr } = await inProcess(args);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `evfwd: run ${run} was planned by evfwd 9.9.9, in a format that this version does not know`,
      );
      expect((await inProcess([...args, '--detach', '--fresh'])).code).toBe(0);
    });

    it('resumes a run that has stopped with the --stop-after of this call', async () => {
      const { place, args } = await planned('{}\n');
      const limited = [...args, '--detach', '--stop-after', '5'];
      const run = (await inProcess(limited)).stdout.trim();
      const { runs } = await testRuns(place);
      await runs.pause(run, 'too many failures');
      const { stderr } = await inProcess([...args, '--detach', '--stop-after', '100%']);
      expect(stderr).toContain(`resumed run ${run}, which had stopped: too many failures`);
      expect(stderr).not.toContain('keeps what it was planned with');
      expect((await runs.find(run))!.plan.stopAfter).toEqual({ share: 1 });
      expect((await inProcess(limited)).stderr).toContain(
        `--stop-after: run ${run} keeps what it was planned with`,
      );
      expect((await runs.find(run))!.plan.stopAfter).toEqual({ share: 1 });
    });

    it('makes a new run where the last one ended 7 days ago', async () => {
      const { place, flags, args } = await planned('');
      const old = (await inProcess([...args, '--detach'])).stdout.trim();
      const age = `UPDATE ${place.schema}.run SET ended_at = ended_at - 7.01 * 86400000`;
      await place.server.sql(age);
      const run = (await inProcess([...args, '--detach'])).stdout.trim();
      expect(run).not.toBe(old);
      await place.server.sql(age);
      const { stdout } = await inProcess(['runs', '--json', ...flags]);
      expect(stdout).toBe('');
      expect(await place.server.sql(`SELECT * FROM ${place.schema}.part`)).toEqual([]);
    });
  });
});

async function planned(text: string) {
  const place = await postgres();
  const file = join(folderWith({ 'h.ndjson': text }), 'h.ndjson');
  const flags = ['--store', place.url, '--store-schema', place.schema];
  return { place, file, flags, args: ['import', file, ...target, ...flags] };
}
