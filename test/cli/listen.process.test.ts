import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { sign } from '../../src/sign/x-signature.js';
import { cli, ended, start, type CliResult } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver } from '../helpers/receiver.js';

interface Listening {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly ended: Promise<CliResult>;
  /** Sends a signal, and waits for the end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<CliResult>;
}

const children: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts `listen` on a free port, and waits for the line that says that it is ready. */
async function listen(args: readonly string[], cwd = folderWith()): Promise<Listening> {
  const child = start(['listen', '--port', '0', ...args], { cwd });
  children.push(child);
  const end = ended(child);
  const ready = args.includes('--json') ? child.stdout : child.stderr;
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface(ready);
    lines.on('line', (line) => {
      const [, found] = /(?:listening at |"url":")(http:\/\/[^",]+)/.exec(line) ?? [];
      if (found) resolve(found);
    });
    void end.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)));
  });
  const stop = (signal: NodeJS.Signals = 'SIGINT'): Promise<CliResult> => {
    child.kill(signal);
    return end;
  };
  return { child, url, ended: end, stop };
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers });

const order = '{"type":"track","event":"Order Completed","userId":"u1"}';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
function jsonLines(text: string): any[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('evfwd listen, for people', () => {
  it('shows a line for each request, and the events of a batch below it', async () => {
    const cwd = folderWith({ 'secret.txt': 'shh' });
    const { url, stop } = await listen(['--secret-file', 'secret.txt'], cwd);
    await post(`${url}/hook?key=hidden`, order, { 'x-signature': sign(order, 'shh') });
    await post(
      `${url}/v1/batch`,
      `{"batch":[${order},{"type":"page","name":"Home","userId":"u2"}]}`,
    );
    await fetch(`${url}/health?key=hidden`);
    const { code, stdout, stderr } = await stop();
    expect(code).toBe(0);
    expect(stderr).toBe(`listening at ${url}, inspector at ${url}/_evfwd/\n`);
    expect(stdout.replace(/^\d\d:\d\d:\d\d\.\d{3}/gm, 'hh:mm:ss.mmm')).toBe(
      `hh:mm:ss.mmm  track Order Completed           u1                valid           56 B  200
hh:mm:ss.mmm  batch of 2 events               2 users           /v1/batch             missing        112 B  200
               track Order Completed          u1
               page Home                      u2
hh:mm:ss.mmm  GET                             -                 /health               missing          0 B  200
3 requests, 3 events; signatures: 1 valid, 2 missing
`,
    );
  });

  it('lets nothing that it receives act on the terminal', async () => {
    const { url, stop } = await listen([]);
    const evil = '\u001b[2J\u009b31m</script>\r\n\u202e';
    await post(`${url}/${encodeURIComponent(evil)}`, evil);
    for (const type of ['track', evil]) {
      const event = { type, event: evil, name: evil, userId: evil, messageId: evil, groupId: evil };
      await post(url, JSON.stringify(event), { 'x-signature': 'x', 'user-agent': '</script>' });
      await post(url, JSON.stringify({ batch: [event, event] }));
    }
    const { stdout, stderr } = await stop();
    expect(stdout.split('\n')).toHaveLength(5 + 4 + 2);
    expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    expect(stdout).toContain(String.raw`\u001b[2J\u009b31m</script>\r\n\u202e`);
  });

  it('says which fault struck', async () => {
    const { url, stop } = await listen(['--fault', 'status=503,first=1', '--fault', 'reset', '-q']);
    await post(url, order);
    await post(url, order).catch(() => undefined);
    const { stdout } = await stop();
    expect(stdout).toContain('56 B  503 by status=503,first=1\n');
    expect(stdout).toContain('56 B  reset by reset\n');
  });

  it('says with --verbose why a signature is not valid', async () => {
    const cwd = folderWith({ 'secret.txt': 'shh' });
    const { url, stop } = await listen(['-v', '--secret-file', 'secret.txt'], cwd);
    await post(url, `${order}\n`, { 'x-signature': sign(order, 'shh') });
    const { stderr } = await stop();
    expect(stderr).toMatch(
      /^\w+-1: the signature fits when the body is missing its trailing newline: /m,
    );
    expect(stderr).not.toContain('shh');
  });

  it('warns when others can reach it, and tells the seed of faults by rate', async () => {
    const { url, stop } = await listen(['--host', '0.0.0.0', '--fault', 'hang,rate=1%']);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { stderr } = await stop();
    expect(stderr).toMatch(/^warning: --host 0\.0\.0\.0: others on the network can reach/m);
    expect(stderr).toMatch(/use --seed \d+ to repeat them/);
  });
});

describe('evfwd listen --json', () => {
  it('prints a ready line, a capture line a request, and a summary', async () => {
    const { url, stop } = await listen(['--json', '--fault', 'status=500,delay=20ms,type=page']);
    await post(`${url}/a?b=c`, order, { 'X-Custom': 'v' });
    await post(url, JSON.stringify({ type: 'page', name: '\u001b[2J', userId: 'u' }));
    const { code, stdout } = await stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    const [ready, first, second, summary, ...rest] = jsonLines(stdout);
    expect(rest).toEqual([]);
    expect(ready).toEqual({ type: 'ready', url, inspector: `${url}/_evfwd/` });
    expect(first).toEqual({
      type: 'request',
      id: expect.any(String),
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      method: 'POST',
      path: '/a?b=c',
      headers: expect.objectContaining({ 'x-custom': 'v' }),
      body: order,
      signature: 'unchecked',
      response: { status: 200, delayMs: 0 },
    });
    expect(second).toMatchObject({ response: { status: 500, delayMs: 20 } });
    expect(summary).toEqual({
      type: 'summary',
      requests: 2,
      events: 2,
      bytes: expect.any(Number),
      byType: { track: 1, page: 1 },
      bySignature: { valid: 0, invalid: 0, missing: 0, unchecked: 2 },
      byStatus: { '200': 1, '500': 1 },
      expectations: [],
    });
  });

  it('ends quietly when nobody reads it any longer', async () => {
    const child = start(['listen', '--port', '0', '--json']);
    children.push(child);
    const [ready] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(ready.toString()) as { url: string };
    child.stdout.destroy();
    const exit = once(child, 'exit');
    const stderr = text(child.stderr);
    await post(url, order);
    expect(await exit).toEqual([0, null]);
    expect(await stderr).not.toMatch(/EPIPE|at .*\.js/);
  });
});

describe('evfwd listen --record', () => {
  it('writes what send, import and verify-sig read', async () => {
    const cwd = folderWith({ 'secret.txt': 'shh' });
    const flags = ['--record', 'got.ndjson', '--secret-file', 'secret.txt'];
    const { url, stop } = await listen(flags, cwd);
    const body =
      '{"version":1,"type":"track","userId":"u","messageId":"m","timestamp":"2026-01-01T00:00:00Z","event":"E","properties":{"big":9007199254740993,"one":1.0}}';
    const signature = sign(body, 'shh');
    await post(`${url}/hook`, body, { 'x-signature': signature });
    await stop();

    const check = await cli(
      ['verify-sig', '--requests', 'got.ndjson', '--secret-file', 'secret.txt'],
      { cwd },
    );
    expect([check.code, check.stdout]).toEqual([0, '1 read: 1 valid, 0 not valid\n']);

    const receiver = await startReceiver();
    writeFileSync(join(cwd, 'new.txt'), 'new secret');
    const to = ['--url', receiver.url, '--secret-file', 'new.txt'];
    const sent = await cli(['send', '--data', '@got.ndjson', ...to], { cwd });
    const imported = await cli(['import', 'got.ndjson', ...to], { cwd });
    await receiver.close();
    expect([sent.code, imported.code]).toEqual([0, 0]);
    for (const request of receiver.requests) {
      expect(request.body.toString()).toBe(body);
      expect(request.headers['x-signature']).toBe(sign(body, 'new secret'));
    }
    expect(receiver.requests).toHaveLength(2);
  });

  it('has recorded every request that got a response, however it is killed', async () => {
    const cwd = folderWith();
    const { url, stop } = await listen(['--record', 'got.ndjson'], cwd);
    const bodies = Array.from({ length: 300 }, (_, i) => `body ${i}`);
    const responded: string[] = [];
    const posts = bodies.map(async (body) => {
      const response = await post(url, body).catch(() => undefined);
      if (response?.ok && responded.push(body) === 100) await stop('SIGKILL');
    });
    await Promise.all(posts);
    const lines = readFileSync(join(cwd, 'got.ndjson'), 'utf8').split('\n').slice(0, -1);
    const recorded = new Set(lines.map((line) => (JSON.parse(line) as { body: string }).body));
    expect(responded.length).toBeGreaterThanOrEqual(100);
    expect(responded.filter((body) => !recorded.has(body))).toEqual([]);
  });

  it('adds to a file that is there', async () => {
    const cwd = folderWith({ 'got.ndjson': '{"kept":true}\n' });
    const { url, stop } = await listen(['--record', 'got.ndjson'], cwd);
    await post(url, 'x');
    await stop();
    const lines = jsonLines(readFileSync(join(cwd, 'got.ndjson'), 'utf8'));
    expect(lines).toMatchObject([{ kept: true }, { body: 'x' }]);
  });
});

describe('evfwd listen --expect', () => {
  it('exits 0 as soon as all rules are met and every request got a response', async () => {
    const cwd = folderWith({ 'secret.txt': 'shh' });
    const rules = ['--expect', 'track:Order *>=2', '--expect', 'signature:invalid==0'];
    const flags = [...rules, '--within', '1h', '--secret-file', 'secret.txt', '--junit', 'out.xml'];
    const { url, ended: end } = await listen(flags, cwd);
    expect((await post(url, order)).status).toBe(200);
    expect((await post(url, order)).status).toBe(200);
    const { code, stdout } = await end;
    expect(code).toBe(0);
    expect(stdout).toContain(
      '✓ track:Order *>=2 (2 received)\n✓ signature:invalid==0 (0 received)\n',
    );
    const xml = readFileSync(join(cwd, 'out.xml'), 'utf8');
    expect(xml).toContain('tests="2" failures="0"');
    expect(xml).toContain('<testcase name="track:Order *&gt;=2"');
  });

  it('ends with 1 when time is up', async () => {
    const cwd = folderWith();
    const flags = [
      '--expect',
      'page',
      '--expect',
      '*>=1',
      '--within',
      '300ms',
      '--json',
      '--junit',
      'out.xml',
    ];
    const { url, ended: end } = await listen(flags, cwd);
    await post(url, order);
    const { code, stdout } = await end;
    expect(code).toBe(1);
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      type: 'summary',
      expectations: [
        { expect: 'page', count: 0, met: false },
        { expect: '*>=1', count: 1, met: true },
      ],
    });
    expect(readFileSync(join(cwd, 'out.xml'), 'utf8')).toContain('tests="2" failures="1"');
  });

  it('judges what is only forbidden when time is up', async () => {
    const { ended: end } = await listen(['--expect', 'track==0', '--within', '200ms']);
    expect((await end).code).toBe(0);
  });

  it.each([
    ['track>=1', 1],
    ['track==0', 0],
  ])('ends with Ctrl-C while %s: %i', async (rule, code) => {
    const { stop } = await listen(['--expect', rule]);
    expect((await stop()).code).toBe(code);
  });
});

it('shows and checks what evfwd itself sends, and makes it try again', async () => {
  const cwd = folderWith({ 'secret.txt': 'shh' });
  const { url, stop } = await listen(
    [
      '--json',
      '--secret-file',
      'secret.txt',
      '--fault',
      'status=503,first=3',
      '--fault',
      'reset,rate=20%',
      '--seed',
      '3',
    ],
    cwd,
  );
  const events = Array.from(
    { length: 30 },
    (_, i) => `{"type":"track","userId":"u","event":"E","messageId":"m${i}"}\n`,
  );
  writeFileSync(join(cwd, 'events.ndjson'), events.join(''));
  const target = ['--url', `${url}/hook`, '--secret-file', 'secret.txt', '--retry-window', '0s'];
  const { code } = await cli(['import', 'events.ndjson', ...target, '--concurrency', '1'], { cwd });
  expect(code).toBe(3);
  const lines = jsonLines((await stop()).stdout).slice(1, -1);
  expect(lines.every(({ signature }) => signature === 'valid')).toBe(true);
  expect(lines.filter(({ response }) => response.status === 503)).toHaveLength(3);
  expect(lines.filter(({ response }) => response.status === null).length).toBeGreaterThan(0);
  expect(new Set(lines.map(({ body }) => JSON.parse(body).messageId)).size).toBe(30);
});
