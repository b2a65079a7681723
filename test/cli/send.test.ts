import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver | undefined;

afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
});

async function listening(status = 200): Promise<Receiver> {
  receiver = await startReceiver(() => ({ status }));
  return receiver;
}

describe('evfwd send', () => {
  it('posts a track call built from flags, and says so in one line', async () => {
    const { url, requests, json } = await listening();
    const flags = ['--event', 'Order Completed', '--user-id', 'u1', '-P', 'total=12.5'];
    const result = await cli(['send', 'track', ...flags, '-P', 'coupon:="X"', '--url', url]);
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(
      /^delivered {2}http:\/\/127\.0\.0\.1:\d+\/hook {2}200 {2}[\d.]+ ms\n$/,
    );
    expect(requests).toHaveLength(1);
    expect(json()[0]).toMatchObject({
      version: 1,
      type: 'track',
      userId: 'u1',
      event: 'Order Completed',
      properties: { total: '12.5', coupon: 'X' },
    });
  });

  it('signs the very bytes that it sends', async () => {
    const { url, requests } = await listening();
    const cwd = folderWith({ 'secret.txt': 'shh\n' });
    await cli(['send', '--fixture', 'track', '--url', url, '--secret-file', 'secret.txt'], { cwd });
    const { headers, body } = requests[0]!;
    expect(headers['x-signature']).toBe(createHmac('sha1', 'shh').update(body).digest('hex'));
    expect(headers['user-agent']).toMatch(/^evfwd\/\d/);
    expect(headers['content-type']).toBe('application/json');
  });

  it('sends no signature without a secret', async () => {
    const { url, requests } = await listening();
    await cli(['send', '--fixture', 'page', '--url', url]);
    expect(requests[0]!.headers).not.toHaveProperty('x-signature');
  });

  it('keeps every value of --data byte for byte', async () => {
    const { url, requests } = await listening();
    const properties =
      '{"b":9007199254740993,"a":1e400,"z":-0,"one":1.0,"b":[ 1 ],"u":"\\u00e9\\ud800"}';
    const data = `{"type":"track","userId":7,"event":"E","messageId":"m","timestamp":"2020-01-01T00:00:00Z","properties":${properties}}`;
    await cli(['send', '--data', data, '--url', url]);
    expect(requests[0]!.body.toString()).toBe(
      `{"version":1,"type":"track","userId":7,"messageId":"m","timestamp":"2020-01-01T00:00:00Z","event":"E","properties":${properties}}`,
    );
  });

  it.each([
    ['200', 200, 0],
    ['a redirect', 302, 4],
    ['404', 404, 4],
    ['408', 408, 5],
    ['410', 410, 4],
    ['425', 425, 5],
    ['429', 429, 5],
    ['500', 500, 5],
    ['503', 503, 5],
  ])('exits by the answer: %s', async (_name, status, code) => {
    const { url } = await listening(status);
    const result = await cli(['send', '--fixture', 'track', '--url', url]);
    expect(result.code).toBe(code);
  });

  it.each([
    ['429 beside 404', [429, 404], [], 5],
    ['404 beside 503', [404, 503], [], 5],
    ['404 beside 410', [404, 410], [], 4],
    ['200 beside 429, where every URL must take it', [200, 429], ['--all-urls'], 5],
    ['200 beside 404, where every URL must take it', [200, 404], ['--all-urls'], 4],
  ])(
    'exits 5 when one of several URLs is worth another try: %s',
    async (_, statuses, more, code) => {
      receiver = await startReceiver(({ path }) => ({ status: Number(path.slice(1)) }));
      const { origin } = new URL(receiver.url);
      const urls = statuses.flatMap((status) => ['--url', `${origin}/${status}`]);
      expect((await cli(['send', '--fixture', 'track', ...urls, ...more])).code).toBe(code);
    },
  );

  it('exits by the last response of a URL', async () => {
    receiver = await startReceiver((_request, i) => ({ status: i === 0 ? 503 : 404 }));
    const args = ['send', '--fixture', 'track', '--url', receiver.url, '--retry-window', '10s'];
    expect((await cli(args)).code).toBe(4);
    expect(receiver.requests).toHaveLength(2);
  });

  it('exits 5 when the connection is refused, and 5 after a timeout', async () => {
    receiver = await startReceiver(() => undefined);
    const silent = await cli([
      'send',
      '--fixture',
      'track',
      '--url',
      receiver.url,
      '--timeout',
      '200ms',
    ]);
    expect(silent).toMatchObject({ code: 5 });
    expect(silent.stdout).toContain('timed out');
    const refused = await cli(['send', '--fixture', 'track', '--url', 'http://127.0.0.1:1/']);
    expect(refused).toMatchObject({ code: 5 });
    expect(refused.stdout).toContain('connection refused');
  });

  it('prints one JSON object with --json', async () => {
    const { url } = await listening(503);
    const { stdout } = await cli(['send', '--fixture', 'track', '--url', `${url}?key=1`, '--json']);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      type: 'result',
      event: { type: 'track' },
      delivered: false,
      attempts: [{ url, status: 503, error: null, attempt: 1 }],
    });
    expect(result.attempts[0].durationMs).toEqual(expect.any(Number));
  });

  it('shows the first line of what the endpoint said, safe to print, and all with -v', async () => {
    const server = await startRawServer({
      response: () => reply(400, { 'x-request-id': 'r1' }, '\n{"error":"no plan"}\x1b[31m\nmore'),
    });
    const flags = ['send', '--fixture', 'track', '--url', server.url];
    const { stdout, stderr } = await cli(flags);
    expect(stdout).toMatch(/ 400 .* HTTP 400 Bad Request: {"error":"no plan"}\\u001b\[31m\n$/);
    expect(stderr).toBe('');
    const verbose = await cli([...flags, '-v']);
    expect(verbose.stdout.replace(/[\d.]+ ms/, '')).toBe(stdout.replace(/[\d.]+ ms/, ''));
    expect(verbose.stderr).toMatch(
      /^attempt 1: .*HTTP 400 Bad Request \([\d.]+ ms\)\n {2}x-request-id: r1\n {2}{"error":"no plan"}\\u001b\[31m\n {2}more\n$/,
    );
  });

  it('has what the endpoint said in --json, without secrets that it repeats', async () => {
    const server = await startRawServer({
      response: ({ headers, path }) => reply(422, {}, JSON.stringify([headers, path])),
    });
    const webhook = ['--url', `${server.url}?token=query-secret`, '-H', 'X-Key: header-secret'];
    const collector = ['--write-key', 'key-secret', '--endpoint', server.url];
    for (const target of [[...webhook, '--secret', 'shared-secret'], collector]) {
      const { stdout } = await cli(['send', '--fixture', 'track', ...target, '--json']);
      const [attempt] = JSON.parse(stdout).attempts;
      expect(attempt).toMatchObject({ status: 422, response: { headers: {} } });
      expect(attempt.response.body).toContain('***');
      expect(stdout).not.toMatch(/-secret|a2V5LXNlY3JldDo/);
    }
  });

  it('says how long it has waited for a response', async () => {
    receiver = await startReceiver(() => undefined);
    const flags = ['--fixture', 'track', '--url', receiver.url, '--timeout', '20ms'];
    const { code, stdout } = await cli(['send', ...flags]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/ timed out after 20 ms\n$/);
  });

  it('posts to every URL, and one success is enough unless --all-urls', async () => {
    const good = await listening();
    const urls = ['--url', 'http://127.0.0.1:1/', '--url', good.url];
    expect(await cli(['send', '--fixture', 'track', ...urls])).toMatchObject({ code: 0 });
    expect(await cli(['send', '--fixture', 'track', ...urls, '--all-urls'])).toMatchObject({
      code: 5,
    });
    expect(good.requests).toHaveLength(2);
  });

  it('retries within --retry-window', async () => {
    receiver = await startReceiver((_request, i) => ({ status: i === 0 ? 503 : 200 }));
    const result = await cli([
      'send',
      '--fixture',
      'track',
      '--url',
      receiver.url,
      '--retry-window',
      '1s',
      '-v',
    ]);
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/attempt 1: .*HTTP 503[^]*attempt 2: .*HTTP 200/);
    expect(receiver.requests[0]!.body.equals(receiver.requests[1]!.body)).toBe(true);
  });

  it('sends no event that its integrations disable, unless forced', async () => {
    const { url, requests } = await listening();
    const event = ['send', '--fixture', 'track', '--integrations', '{"All":false}', '--url', url];
    const off = await cli(event);
    expect(off).toMatchObject({ code: 1 });
    expect(off.stderr).toContain('integrations');
    expect(requests).toHaveLength(0);
    expect(await cli([...event, '--ignore-integrations'])).toMatchObject({ code: 0 });
    expect(requests).toHaveLength(1);
  });

  it('shows the request with --dry-run, without header values and query', async () => {
    const args = [
      'send',
      '--fixture',
      'track',
      '--url',
      'http://x.invalid/p?token=hidden',
      '-H',
      'X-A: hidden',
    ];
    const { code, stdout, stderr } = await cli(args.concat('--dry-run'), {
      env: { EVFWD_SECRET: 'hidden' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^POST http:\/\/x\.invalid\/p\?\*\*\*\n/);
    expect(stdout).toContain('X-A: ***');
    expect(stdout).toMatch(/X-Signature: [0-9a-f]{40}/);
    expect(stdout + stderr).not.toContain('hidden');
  });

  it('hides the header values of a profile, too, with --dry-run', async () => {
    const endpoint = `{ url: 'http://x.invalid/h?k=hidden', headers: { X-A: hidden, X-B: 'b \${S}' } }`;
    const config = `profiles: { p: { webhooks: { sharedSecret: \${S}, endpoints: [${endpoint}] } } }`;
    const cwd = folderWith({ 'evfwd.config.yaml': config });
    for (const form of [[], ['--json']]) {
      const args = ['send', '--fixture', 'track', '-p', 'p', '--dry-run', ...form];
      const { code, stdout, stderr } = await cli(args, { cwd, env: { S: 'hidden' } });
      expect(code).toBe(0);
      expect(stdout).toContain('***');
      expect(stdout + stderr).not.toContain('hidden');
    }
  });

  it('goes to a collector with a write key, in a batch of one', async () => {
    const { url, requests, json } = await listening();
    const endpoint = new URL(url).origin;
    const result = await cli([
      'send',
      '--fixture',
      'track',
      '--write-key',
      'key',
      '--endpoint',
      endpoint,
    ]);
    expect(result.code).toBe(0);
    expect(requests[0]!.path).toBe('/v1/batch');
    expect(requests[0]!.headers.authorization).toBe(
      `Basic ${Buffer.from('key:').toString('base64')}`,
    );
    expect(json()[0]).toMatchObject({
      batch: [{ type: 'track' }],
      context: { library: { name: 'evfwd' } },
    });
  });

  it.each([
    ['no target', ['send', '--fixture', 'track'], '--url'],
    [
      'both targets',
      ['send', '--fixture', 'track', '--url', 'http://x', '--write-key', 'k'],
      '--write-key',
    ],
    [
      'a collector without endpoint',
      ['send', '--fixture', 'track', '--write-key', 'k'],
      '--endpoint',
    ],
    [
      'a URL without protocol',
      ['send', '--fixture', 'track', '--url', 'localhost:1/h'],
      'http://localhost:1/h',
    ],
    [
      'six URLs',
      ['send', '--fixture', 'track', ...Array(6).fill(['--url', 'http://x']).flat()],
      '1 to 5',
    ],
    [
      'six headers',
      ['send', '--fixture', 'track', '--url', 'http://x', ...Array(6).fill(['-H', 'A: b']).flat()],
      'at most 5',
    ],
    [
      'a header that is ours',
      ['send', '--fixture', 'track', '--url', 'http://x', '-H', 'x-signature: b'],
      '--header: the header x-signature',
    ],
    ['--max-wait alone', ['import', '-', '--url', 'http://x', '--max-wait', '1s'], '--speed'],
    [
      'a bare duration',
      ['send', '--fixture', 'track', '--url', 'http://x', '--timeout', '5'],
      '--timeout',
    ],
    [
      'an event without its name',
      ['send', 'track', '--user-id', 'u', '--url', 'http://x'],
      '--event',
    ],
    ['an unknown type', ['send', 'purchase'], 'unknown type "purchase"; expected one of identify,'],
    ['a mistyped type', ['send', 'trakc'], 'unknown type "trakc" (Did you mean track?)'],
    [
      'an unknown type in --data',
      ['send', '--data', '{"type":"purchase"}', '--url', 'http://x'],
      'unknown type "purchase"; expected one of identify,',
    ],
    [
      'a type that is no text',
      ['send', '--data', '{"type":["track"]}', '--url', 'http://x'],
      'expected one of identify,',
    ],
    ['help for no command', ['help', 'snd'], "unknown command 'snd' (Did you mean send?)"],
    ['a mistyped flag', ['send', 'track', '--user-idd', 'u'], '--user-id'],
    ['a mistyped command', ['snd'], 'send'],
    [
      'an empty secret',
      ['send', '--fixture', 'track', '--url', 'http://x', '--secret', ''],
      'empty',
    ],
    [
      'a file name with escapes',
      ['import', 'no\n\u001b[31m', '--url', 'http://x'],
      String.raw`no\n\u001b[31m`,
    ],
    ['a command with escapes', ['x\n\u001b[31m'], String.raw`\u001b[31m`],
  ])('exits 2 with one line that says what to do: %s', async (_name, args, said) => {
    const { code, stdout, stderr } = await cli(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(said);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('uses the environment, unless a flag selects the other target', async () => {
    const { url, requests } = await listening();
    const env = { EVFWD_URL: `${url} ${url}`, EVFWD_SECRET: 's' };
    await cli(['send', '--fixture', 'track'], { env });
    expect(requests).toHaveLength(2);
    const collector = ['--write-key', 'k', '--endpoint', new URL(url).origin];
    await cli(['send', '--fixture', 'track', ...collector], { env });
    expect(requests[2]!.path).toBe('/v1/batch');
  });

  it('uses URLs, headers and the secret of a profile', async () => {
    const { url, requests } = await listening();
    const config = `profiles:\n  staging:\n    webhooks:\n      sharedSecret: \${SECRET}\n      endpoints:\n        - url: ${url}\n          headers: { X-Team: growth }\n`;
    const cwd = folderWith({ 'evfwd.config.yaml': config });
    const result = await cli(['send', '--fixture', 'track', '-p', 'staging'], {
      cwd,
      env: { SECRET: 'shh' },
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const { headers, body } = requests[0]!;
    expect(headers['x-team']).toBe('growth');
    expect(headers['x-signature']).toBe(createHmac('sha1', 'shh').update(body).digest('hex'));
  });

  it('warns about --secret on the command line, and never repeats it', async () => {
    const { url } = await listening(500);
    const args = [
      'send',
      '--fixture',
      'track',
      '--url',
      `${url}?k=sesame`,
      '--secret',
      'sesame',
      '-H',
      'X-A: sesame',
      '-v',
    ];
    for (const more of [[], ['--json'], ['--dry-run'], ['--retry-window', '200ms']]) {
      const { stdout, stderr } = await cli([...args, ...more]);
      expect(stderr).toContain('warning: other users');
      expect(stdout + stderr).not.toContain('sesame');
    }
  });
});
