import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as command from '../../../src/commands/report/command.js';
import { AttemptLog } from '../../../src/ledger/attempt-log.js';
import { folderWith } from '../../helpers/folder.js';
import { attempt, lineOf } from '../../report/attempts.js';
import { runCommand } from '../../helpers/run-command.js';

const log = [
  attempt({ status: 503, verdict: 'retry' }),
  attempt({ attempt: 2, at: attempt().at + 5_000 }),
]
  .map((one) => `${lineOf(one)}\n`)
  .join('');

function run(args: string[], stdin?: string) {
  return runCommand(command, args, stdin === undefined ? { cwd: '' } : { cwd: '', stdin });
}

describe('report', () => {
  it('sums up a log on standard output, and exits 0', async () => {
    const path = join(folderWith({ log }), 'log');
    const { exitCode, stdout, stderr } = await run([path]);
    expect(stdout).toMatch(/^100% delivered: 1 delivery for 1 first attempt\n/);
    expect(stdout).toMatch(/^503 Service Unavailable {2}1 {3}50\.0%$/m);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('reads what import writes', async () => {
    const path = join(folderWith(), 'attempts.ndjson');
    const written = new AttemptLog(path);
    written.write(attempt({ status: null, error: 'dns', verdict: 'retry' }) as never, 'm1');
    await written.close();
    const { stdout } = await run([path, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ attempts: 1, errors: [{ error: 'dns' }] });
  });

  it('prints one object with --json, of several logs and standard input', async () => {
    const folder = folderWith({ a: log, b: gzipSync(log) });
    const files = [join(folder, 'a'), join(folder, 'b'), '-'];
    const { stdout, stderr } = await run([...files, '--json'], log);
    expect(JSON.parse(stdout)).toEqual({
      type: 'report',
      failedDeliveries: [],
      files,
      lines: 6,
      other: { count: 0, first: null },
      broken: { count: 0, first: null },
      brokenInputs: [],
      attempts: 6,
      verdicts: { delivered: 3, retry: 3, failed: 0 },
      firstTries: 3,
      retries: 3,
      deliveredShare: 1,
      unresolved: 0,
      from: '2026-11-20T08:30:00.000Z',
      to: '2026-11-20T08:30:05.012Z',
      seconds: 5.013,
      attemptsPerSecond: 1.2,
      latencyMs: { p50: 12.5, p90: 12.5, p95: 12.5, p99: 12.5, max: 12.5 },
      latencyBars: [{ fromMs: 12.35, toMs: 12.6, attempts: 6 }],
      tries: [
        { attempt: 1, attempts: 3, delivered: 0, retry: 3, failed: 0 },
        { attempt: 2, attempts: 3, delivered: 3, retry: 0, failed: 0 },
      ],
      statuses: [
        { status: 503, attempts: 3, delivered: 0, retry: 3, failed: 0 },
        { status: 200, attempts: 3, delivered: 3, retry: 0, failed: 0 },
      ],
      errors: [],
      urls: [
        {
          url: 'https://example.com/hook',
          attempts: 6,
          delivered: 3,
          retry: 3,
          failed: 0,
          firstTries: 3,
          retries: 3,
          deliveredShare: 1,
          unresolved: 0,
          latencyMs: { p50: 12.5, p90: 12.5, p95: 12.5, p99: 12.5, max: 12.5 },
        },
      ],
      series: {
        seconds: 2,
        buckets: [
          {
            at: '2026-11-20T08:30:00.000Z',
            attempts: 3,
            delivered: 0,
            retry: 3,
            failed: 0,
            p50: 12.5,
            p95: 12.5,
          },
          {
            at: '2026-11-20T08:30:04.000Z',
            attempts: 3,
            delivered: 3,
            retry: 0,
            failed: 0,
            p50: 12.5,
            p95: 12.5,
          },
        ],
      },
    });
    expect(stderr).toBe('');
  });

  it('writes a page as well with --html, and says where', async () => {
    const folder = folderWith({ log });
    const page = join(folder, 'out.html');
    const { exitCode, stdout, stderr } = await run([join(folder, 'log'), '--html', page]);
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>\n[^]*<\/html>\n$/);
    expect(stdout).toContain('100% delivered');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `report written to ${page}\n` });
    expect((await run([join(folder, 'log'), '--html', page, '-q'])).stderr).toBe('');
  });

  it('counts lines that it cannot use, and names the first one', async () => {
    const path = join(folderWith({ log: `${log}{"type":"att\n{"type":"ready"}\n{}\n` }), 'log');
    const { exitCode, stdout, stderr } = await run([path]);
    expect(stdout).toMatch(/^attempts +2 /m);
    expect(stderr).toBe(
      `1 line left out: broken; the first is ${path}:3 (not JSON)\n` +
        `2 lines left out: not attempts; the first is ${path}:4 (type ready)\n`,
    );
    expect(exitCode).toBe(0);
    expect((await run([path, '-q'])).stderr).toBe('');
  });
});

it('report says with --verbose what it has read', async () => {
  const path = join(folderWith({ log }), 'log');
  expect((await run([path, '-v'])).stderr).toBe(`read 2 lines: ${path}\n`);
});

describe('report exits 1', () => {
  it('for a log without any attempt, and writes no page', async () => {
    const folder = folderWith({ log: '{"type":"ready"}\n' });
    const path = join(folder, 'log');
    const { exitCode, stdout, stderr } = await run([path, '--html', join(folder, 'out.html')]);
    expect(stderr).toBe(
      `no attempts in ${path}; 1 line left out: not attempts; the first is ${path}:1 (type ready); import --log <file> writes such logs\n`,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(existsSync(join(folder, 'out.html'))).toBe(false);
  });

  it('for a log that breaks off, after what could be read', async () => {
    const whole = gzipSync(log.repeat(1_000), { level: 0 });
    const path = join(folderWith({ 'log.gz': whole.subarray(0, 100_000) }), 'log.gz');
    const { exitCode, stdout, stderr } = await run([path, '-q']);
    expect(stdout).toContain('% delivered');
    expect(stderr).toMatch(/log\.gz: the gzip data is truncated, after \d+ whole lines; fix/);
    expect(exitCode).toBe(1);
  });
});

describe('report exits 2', () => {
  it.each([
    [['none.ndjson'], /none\.ndjson: no such file; check the path$/],
    [['.'], /: is a directory/],
    [['array'], /array: is a JSON array, not NDJSON; convert it with: jq/],
    [['-', '-'], /standard input \(-\) can be read only once/],
    [['log', '--html', 'log'], /it is one of the logs/],
    [['log', '--html', 'none/out.html'], /no such folder/],
  ])('for %j', async (args, message) => {
    const place = folderWith({ log, array: '[{}]' });
    const paths = args.map((arg) => (arg.startsWith('-') ? arg : join(place, arg)));
    const { exitCode, stdout, stderr } = await run(paths);
    expect(stderr.trimEnd()).toMatch(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});
