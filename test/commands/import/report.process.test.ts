import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cli, program } from '../../helpers/cli.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { addsUp, event, events, startImport, summaryOf } from '../../helpers/process.js';
import { startReceiver } from '../../helpers/receiver.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

const importing = (cwd: string, ...args: string[]) => inProcess(['import', ...args], { cwd });

/** The command that was printed on a line of its own. */
function printedCommand(stderr: string, after: string): string {
  const lines = stderr.split('\n');
  const index = lines.findIndex((line) => line.includes(after));
  const command = lines[index + 1] ?? '';
  expect(command).toMatch(/^ {2}evfwd import /);
  return command.trim();
}

/** Runs a printed command as a user does who pastes it. */
async function paste(command: string, cwd: string, env: Record<string, string> = {}) {
  symlinkSync(program, join(cwd, 'evfwd'));
  const { PATH = '', HOME = '' } = process.env;
  const options = { cwd, env: { PATH: `${cwd}:${PATH}`, HOME, ...env } };
  return promisify(execFile)('/bin/sh', ['-c', command], options);
}

describe('what an import says', () => {
  it('names a few files, and counts many', async () => {
    const names = Array.from({ length: 300 }, (_, n) => `e${n}`);
    const cwd = folderWith(Object.fromEntries(names.map((name, n) => [name, event(n)])));
    const few = await importing(cwd, 'e0', 'e1', '--url', at.receiver.url);
    expect(few.stderr).toContain('importing e0, e1 to ');
    const many = await importing(cwd, ...names, '--url', at.receiver.url);
    expect(many.stderr).toContain('importing 300 files (e0, e1, …) to ');
    const json = await importing(cwd, ...names, '--url', at.receiver.url, '--json');
    expect(JSON.parse(json.stdout.split('\n')[0]!).files).toEqual(names);
  });

  it.each([
    [1, ['HTTP 400 Bad Request'], false],
    [6, ['HTTP 400 Bad Request'], true],
    [6, ['HTTP 400 Bad Request', 'HTTP 422 Unprocessable Entity'], true],
    [20, [400, 401, 402, 403, 404].map((status) => `HTTP ${status}`), true],
  ])('shows the first of each kind of failure: %i events, %j', async (count, kinds, hasMore) => {
    at.statusOf = (i) =>
      Number(kinds[i % kinds.length]!.slice(5, 8)) + (i >= 5 && count > 9 ? 9 : 0);
    const cwd = folderWith({ e: events(count) });
    const args = ['e', '--url', at.receiver.url, '--ordered', '--concurrency', '1'];
    const { stderr } = await importing(cwd, ...args);
    const shown = [...stderr.matchAll(/^e:(\d+): failed: \S+ (HTTP \d+)/gm)];
    expect(shown.map(([, line, status]) => [line, status])).toEqual(
      kinds.map((kind, i) => [`${i + 1}`, kind.slice(0, 8)]),
    );
    expect(stderr.includes('not all further failures are shown')).toBe(hasMore);
  });

  it('names the file of what has failed even with -q', async () => {
    at.statusOf = () => 400;
    const cwd = folderWith({ e: events(2) });
    const { stderr } = await importing(cwd, 'e', '--url', at.receiver.url, '-q');
    expect(stderr).toMatch(/^failed events saved to \.evfwd\/e-\w+\.dead-letter\.ndjson\n$/);
  });

  it('names event and place of each attempt with -v', async () => {
    const cwd = folderWith({ e: events(2) });
    const { stderr } = await importing(cwd, 'e', '--url', at.receiver.url, '-v');
    expect(stderr).toMatch(/^e:2 m1: attempt 1: http:\S+: HTTP 200 OK \([\d.]+ ms\)$/m);
  });

  it('splits what was skipped, also after a restart', async () => {
    const off = ',"integrations":{"Webhooks":false}';
    const cwd = folderWith({
      e: `${events(3)}${event(3, off)}\n${event(4).replace('track', 'page')}\n`,
    });
    const args = ['e', '--url', at.receiver.url, '--types', 'track'];
    const first = await importing(cwd, ...args);
    expect(first.stdout).toContain('skipped    2  (1 by filters, 1 by integrations)');
    const again = await importing(cwd, ...args);
    expect(again.stdout).toContain(
      'skipped    5  (1 by filters, 1 by integrations, 3 delivered by an earlier run)',
    );
    expect(again.stdout).toContain('earlier runs: 3 delivered');
    const json = summaryOf(await importing(cwd, ...args, '--json'));
    expect(json.skippedBy).toEqual({ filter: 1, integrations: 1, endpoints: 0, earlier: 3 });
    expect(addsUp(json)).toBe(true);
  });

  it('has a line for each URL, and a warning for one that is behind another', async () => {
    const other = await startReceiver(() => ({ status: 500 }));
    const cwd = folderWith({ e: events(5) });
    const args = ['e', '--url', at.receiver.url, '--url', other.url];
    const { code, stdout, stderr } = await importing(cwd, ...args, '--retry-window', '0s');
    expect(code).toBe(0);
    expect(stdout).toContain(`${at.receiver.url}  5 delivered\n`);
    expect(stdout).toContain(`${other.url}  0 delivered, 5 failed (HTTP 500)\n`);
    expect(stderr).toContain(`warning: ${other.url} did not accept 5 of 5 events (HTTP 500)`);
    await other.close();
  });

  it('says why a URL is down, and counts no latency without a response', async () => {
    const gone = await startReceiver();
    const { url } = gone;
    await gone.close();
    const cwd = folderWith({ e: events(500) });
    const run = startImport(['e', '--url', url], cwd);
    const said = new Promise<string>((resolve) => {
      let text = '';
      run.child.stderr.on('data', (data: Buffer) => {
        text += data.toString();
        const line = text.split('\n').find((each) => each.includes('probing'));
        if (line !== undefined) resolve(line);
      });
    });
    // A busy machine may be slow to refuse a connection.
    const reason = '(connection refused|timed out)';
    expect(await said).toMatch(
      new RegExp(
        `^${url}: unreachable \\(${reason}\\); probing once per second until it recovers$`,
      ),
    );
    const { stdout, ...rest } = await run.stop('SIGINT');
    expect(summaryOf({ stdout, ...rest }).latencyMs).toEqual({ p50: null, p95: null, p99: null });
  });
});

describe('an import that only fails', () => {
  it('stops after 1,000 events, with 3; what was not begun is pending, and no dead letter', async () => {
    at.statusOf = () => 401;
    const cwd = folderWith({ e: events(3_000) });
    const { code, stderr, stdout } = await importing(cwd, 'e', '--url', at.receiver.url, '--json');
    const summary = summaryOf({ code, stderr, stdout, signal: null });
    expect(code).toBe(3);
    expect(summary.failed).toBeGreaterThanOrEqual(1_000);
    expect(summary.failed).toBeLessThan(1_200);
    expect(summary.reasons).toEqual([{ code: 'status_401', count: summary.failed }]);
    expect(summary).toMatchObject({ stopped: 'none of the first 1,000 was delivered' });
    const letters = readFileSync(join(cwd, summary.deadLetter!), 'utf8').trim().split('\n');
    expect(letters).toHaveLength(summary.failed);
    at.statusOf = () => 200;
    const rest = await importing(cwd, 'e', '--url', at.receiver.url);
    expect(rest.stdout).toContain(`delivered  ${(3_000 - summary.failed).toLocaleString('en')}`);
  });

  it('ends as usual if there were just 1,000 of them', async () => {
    at.statusOf = () => 401;
    const cwd = folderWith({ e: events(1_000) });
    const { code, stderr } = await importing(cwd, 'e', '--url', at.receiver.url);
    expect(code).toBe(3);
    expect(stderr).not.toMatch(/stopp/);
    const again = await importing(cwd, 'e', '--url', at.receiver.url);
    expect(again.stderr).toContain('already completed (0 delivered, 1,000 failed)');
  });

  it.each([
    ['rejected lines', '--ids', 'keep'],
    ['events one at a time', '--concurrency', '1'],
  ])('stops where it is told to: %s', async (_what, ...more) => {
    at.statusOf = () => 400;
    const bad = '{"type":"track","userId":"u"}\n'.repeat(200);
    const cwd = folderWith({ e: more[0] === '--ids' ? bad : events(200) });
    const args = ['e', '--url', at.receiver.url, '--stop-after', '10', ...more];
    const { code, stdout, stderr } = await importing(cwd, ...args, '--json');
    const { rejected, failed } = summaryOf({ code, stdout, stderr, signal: null });
    expect(code).toBe(3);
    // One more request may have been sent before the failure was recorded.
    expect([11, 12]).toContain(rejected + failed);
  });

  it('is refused with a limit that is none', async () => {
    const cwd = folderWith({ e: event(1) });
    for (const limit of ['x', '101%', '-1', '1.5', '']) {
      const args = ['e', '--url', at.receiver.url, `--stop-after=${limit}`];
      expect(await importing(cwd, ...args)).toMatchObject({ code: 2, stdout: '' });
    }
  });
});

describe('the printed commands', () => {
  it('retry the dead letters when they are pasted, with names that need quotes', async () => {
    at.statusOf = (n) => (n < 2 ? 400 : 200);
    const name = `it's my "data".ndjson`;
    const cwd = folderWith({ [name]: events(4), 'the secret.txt': 'abc' });
    const state = ['--state-dir', join(cwd, 'my state')];
    const args = [name, '--url', at.receiver.url, '--secret-file', 'the secret.txt', ...state];
    const { stderr } = await cli(['import', ...args, '--types', 'track'], { cwd });
    expect(stderr).not.toContain('line_too_long');
    at.statusOf = () => 200;
    const { stdout } = await paste(printedCommand(stderr, 'retry them with:'), cwd);
    expect(stdout).toContain('delivered  2');
    expect(at.receiver.requests.at(-1)!.headers['x-signature']).toMatch(/^[0-9a-f]{40}$/);
  });

  it('resume an interrupted import, with the secret from the environment', async () => {
    const cwd = folderWith({ 'my events': events(200) });
    const args = ['my events', '--url', at.receiver.url, '--secret', 'hush', '--rate', '100/s'];
    const run = startImport(args, cwd);
    await at.receiver.atLeast(20);
    const { stderr } = await run.stop('SIGINT');
    expect(stderr.replace(/^warning.*\n/m, '')).not.toContain('hush');
    expect(stderr).toContain('again to resume (set EVFWD_SECRET first):');
    const command = printedCommand(stderr, 'again to resume').replace('100/s', '1000/s');
    await paste(command, cwd, { EVFWD_SECRET: 'hush' });
    expect([at.witness.missing(200), at.witness.doubled]).toEqual([[], 0]);
    const signed = at.receiver.requests.map(({ headers }) => headers['x-signature']);
    expect(signed.every((signature) => signature !== undefined)).toBe(true);
  });

  it('do not offer to retry lines that were cut', async () => {
    const cwd = folderWith({ e: `${event(1)}\n` });
    writeFileSync(join(cwd, 'long'), `${'x'.repeat(1_100_000)}\n`);
    const { stderr } = await importing(cwd, 'e', 'long', '--url', at.receiver.url);
    expect(stderr).toContain('1 line was too long (line_too_long) and cannot be retried');
    expect(stderr).not.toContain('retry them with');
  });
});
