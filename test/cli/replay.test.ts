import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import twilio from 'twilio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { captureFile, captureText } from '../replay/captures.js';

let receiver: Receiver;
let origin: string;
let respond: (path: string) => number;

beforeEach(async () => {
  respond = () => 200;
  receiver = await startReceiver(({ path }) => ({ status: respond(path) }));
  origin = new URL(receiver.url).origin;
});
afterEach(() => receiver.close());

/** Runs `replay` on a file with this content. */
async function replay(content: string | Buffer, ...args: string[]) {
  return replayIn(folderWith({ got: content }), ...args);
}

async function replayIn(folder: string, ...args: string[]) {
  const state = ['--state-dir', join(folder, 'state')];
  const url = args.includes('--url') ? [] : ['--url', origin];
  const ran = await inProcess(['replay', join(folder, 'got'), ...url, ...state, ...args]);
  return { ...ran, folder };
}

const deadLetters = (folder: string) =>
  readFileSync(join(folder, 'dead'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('evfwd replay', () => {
  it('sends each request again: method, path, headers and bytes', async () => {
    const content = captureFile(
      { path: '/a/../b?x=1', headers: { 'x-a': 'b' }, body: '{"a": 1.0}' },
      { method: 'PATCH', bodyBase64: '/wD+' },
      { method: 'GET', body: '' },
    );
    const { code, stdout } = await replay(content, '--concurrency', '1', '--json');
    expect([code, JSON.parse(stdout.split('\n')[1]!)]).toMatchObject([0, { delivered: 3 }]);
    expect(receiver.requests.map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/a/../b?x=1'],
      ['PATCH', '/hook'],
      ['GET', '/hook'],
    ]);
    expect(receiver.requests.map(({ body }) => body.toString('base64'))).toEqual([
      Buffer.from('{"a": 1.0}').toString('base64'),
      '/wD+',
      '',
    ]);
    expect(receiver.requests[0]!.headers).toMatchObject({ 'x-a': 'b', host: new URL(origin).host });
    expect(receiver.requests[2]!.headers).not.toHaveProperty('content-length');
  });

  it('reads gzip, standard input and HAR', async () => {
    const entry = {
      request: {
        method: 'PUT',
        url: 'https://a.example.com/har#x',
        headers: [],
        postData: { text: 'h' },
      },
    };
    const har = JSON.stringify({ log: { entries: [entry] } }, undefined, 2);
    const folder = folderWith({ got: gzipSync(captureFile({ path: '/gzip' })), 'a.har': har });
    const state = ['--state-dir', join(folder, 'state'), '--url', origin, '--concurrency', '1'];
    const files = [join(folder, 'got'), join(folder, 'a.har'), '-'];
    const stdin = captureFile({ path: '/pipe' });
    const { code } = await inProcess(['replay', ...files, ...state], { stdin });
    expect([code, receiver.requests.map(({ path }) => path)]).toEqual([
      0,
      ['/gzip', '/har', '/pipe'],
    ]);
  });

  it('selects by time, method, path and recorded status', async () => {
    const content = captureFile(
      { path: '/in/a', response: { status: 503, delayMs: 0 } },
      { path: '/in/b' },
      { path: '/out', response: { status: 503, delayMs: 0 } },
      { path: '/in/c', method: 'PUT', response: { status: 503, delayMs: 0 } },
      { path: '/in/d', receivedAt: '2026-09-01T08:00:00Z', response: { status: 503, delayMs: 0 } },
    );
    const flags = [
      '--paths',
      '/in/*',
      '--methods',
      'post',
      '--status',
      '5xx,404',
      '--since',
      '2026-10-01',
    ];
    const { code } = await replay(content, ...flags);
    expect([code, receiver.requests.map(({ path }) => path)]).toEqual([0, ['/in/a']]);
  });

  it('goes on behind its limit, and sends nothing after its end', async () => {
    const { folder } = await replay(captureFile({ path: '/1' }, { path: '/2' }), '--limit', '1');
    await replayIn(folder);
    const { stderr } = await replayIn(folder);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/1', '/2']);
    expect(stderr).toContain('already completed (2 delivered, 0 failed)');
  });

  it('saves what failed as captures, which can be replayed', async () => {
    respond = (path) => (path === '/bad' ? 400 : 200);
    const content = captureFile({ path: '/bad', body: '1.0 é' }, { path: '/ok' }, { path: '/a b' });
    const { code, folder } = await replay(content, '--dead-letter', '/dev/null');
    expect(code).toBe(3);
    const dead = join(folder, 'dead');
    await replayIn(folder, '--fresh', '--dead-letter', dead);
    expect(deadLetters(folder).map(({ code, line }) => [code, line])).toEqual([
      ['bad_path', 3],
      ['status_400', 1],
    ]);
    expect(readFileSync(dead, 'utf8')).toContain(`"request":${content.split('\n')[0]!}`);
    respond = () => 200;
    receiver.requests.length = 0;
    const again = await inProcess([
      'replay',
      dead,
      '--url',
      origin,
      '--state-dir',
      join(folder, 's2'),
    ]);
    expect([again.code, receiver.requests.map(({ body }) => body.toString())]).toEqual([
      3,
      ['1.0 é'],
    ]);
  });

  it('warns once when recorded credentials go to another host', async () => {
    const content = captureFile(
      { headers: { host: 'old.example.com', authorization: 'Bearer s3cr3t' } },
      { headers: { host: 'old.example.com', cookie: 'a=b' } },
    );
    const { stderr } = await replay(content);
    expect(stderr.match(/warning: recorded Authorization or Cookie/g)).toHaveLength(1);
    expect(stderr).not.toContain('s3cr3t');
    const without = await replay(content, '--drop-header', 'authorization,Cookie');
    expect(without.stderr).not.toContain('warning');
    expect(receiver.requests.slice(2).flatMap(({ headers }) => Object.keys(headers))).not.toContain(
      'cookie',
    );
  });
});

describe('the signature of a replayed request', () => {
  const signed = captureFile({
    headers: {
      'x-signature': 'old',
      'stripe-signature': 't=1,v1=00',
      'webhook-id': 'w1',
      'webhook-signature': 'v1,old',
    },
    body: '{"a": 1}',
  });
  const secret = ['--secret', 's3cr3t', '-q'];

  it('is the recorded one without a secret', async () => {
    await replay(signed);
    expect(receiver.requests[0]!.headers).toMatchObject({
      'x-signature': 'old',
      'stripe-signature': 't=1,v1=00',
      'webhook-id': 'w1',
    });
  });

  it('is the recorded one with --keep-signature', async () => {
    await replay(signed, ...secret, '--keep-signature');
    expect(receiver.requests[0]!.headers).toMatchObject({
      'x-signature': 'old',
      'webhook-id': 'w1',
    });
  });

  it('is made anew with a secret, without those of any other scheme', async () => {
    await replay(signed, ...secret);
    const { headers } = receiver.requests[0]!;
    const expected = createHmac('sha1', 's3cr3t').update('{"a": 1}').digest('hex');
    expect(headers['x-signature']).toBe(expected);
    expect(Object.keys(headers).filter((name) => /stripe|webhook/.test(name))).toEqual([]);
  });

  it('keeps the recorded id', async () => {
    await replay(
      signed,
      '-q',
      '--secret',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      '--scheme',
      'standard-webhooks',
    );
    const { headers } = receiver.requests[0]!;
    expect(headers).toMatchObject({ 'webhook-id': 'w1' });
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const text = `w1.${String(headers['webhook-timestamp'])}.{"a": 1}`;
    const signature = createHmac('sha256', key).update(text).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  });
});

describe('the signature of twilio of a replayed request', () => {
  const form = 'To=%2B1800&Body=a+b&Body=c';
  const secret = ['--secret', 'new', '--scheme', 'twilio', '-q'];
  const typed = (type: string) => ({
    path: '/hook?q=1',
    headers: { 'content-type': type, 'x-twilio-signature': 'old' },
    body: form,
  });

  it('is that of a form for a form', async () => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    await replay(captureFile(typed(type)), ...secret);
    const { path, headers } = receiver.requests[0]!;
    expect(path).toBe('/hook?q=1');
    const params = { To: '+1800', Body: ['a b', 'c'] };
    const signature = twilio.getExpectedTwilioSignature('new', `${origin}${path}`, params);
    expect(headers).toMatchObject({ 'content-type': type, 'x-twilio-signature': signature });
  });

  it.each([
    ['another type was recorded', 'application/json', []],
    ['the type is replaced', 'application/x-www-form-urlencoded', ['-H', 'Content-Type: a/b']],
    [
      'the type is left out',
      'application/x-www-form-urlencoded',
      ['--drop-header', 'content-type'],
    ],
  ])('has the digest of the body where %s', async (_, type, more) => {
    await replay(captureFile(typed(type)), ...secret, ...more);
    const { path, headers } = receiver.requests[0]!;
    const signature = String(headers['x-twilio-signature']);
    expect(twilio.validateRequestWithBody('new', signature, origin + path, form)).toBe(true);
  });
});

describe('evfwd replay --compare', () => {
  const both = captureFile(
    { path: '/same', response: { status: 404, delayMs: 0, body: 'ok' } },
    { path: '/other', response: { status: 200, delayMs: 0, body: 'no' } },
  );

  it('takes an equal response as delivered, and prints each that differs', async () => {
    respond = (path) => (path === '/same' ? 404 : 500);
    const { code, stdout, folder } = await replay(both, '--compare');
    expect(code).toBe(1);
    expect(stdout).toContain(`${join(folder, 'got')}:2: POST /other: recorded 200, now 500\n`);
    expect(stdout).toMatch(/delivered +1\n/);
    expect((await replayIn(folder, '--compare')).code).toBe(1);
  });

  it('exits 0 if none differs', async () => {
    respond = (path) => (path === '/same' ? 404 : 200);
    expect((await replay(both, '--compare')).code).toBe(0);
  });

  it('compares the body, too', async () => {
    respond = (path) => (path === '/same' ? 404 : 200);
    const { code, stdout } = await replay(both, '--compare', 'body', '--json');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect([code, lines[1], lines.at(-1)]).toMatchObject([
      1,
      { type: 'difference', line: 2, path: '/other', recorded: 200, received: 200 },
      { type: 'summary', delivered: 1, failed: 1 },
    ]);
  });

  it('takes no response for one that differs', async () => {
    const url = origin;
    await receiver.close();
    const { code, stdout } = await replay(captureFile({}), '--compare', '--url', url);
    expect([code, stdout]).toMatchObject([1, /recorded 200, now connection refused/]);
  });

  it('takes a word that is no part of it for a file', async () => {
    const folder = folderWith({ got: captureFile({}) });
    const flags = ['--url', origin, '--state-dir', join(folder, 'state')];
    expect((await inProcess(['replay', '--compare', join(folder, 'got'), ...flags])).code).toBe(0);
  });
});

describe('evfwd replay ends with one line and exit 2', () => {
  it.each<[string, string, string[], RegExp]>([
    ['for CSV', 'a,b,c\n1,2,3\n4,5,6\n', [], /is CSV/],
    [
      'for a damaged HAR file',
      '{"log": {"entries": [',
      [],
      /got: is a HAR file that is damaged or cut off; export it again with content: in the network tab of a browser, "Save all as HAR with content"/,
    ],
    [
      'for a HAR file without entries',
      '{"log": {}}',
      [],
      /got: is a HAR file without requests \(it has no list "log.entries"\); export it again with content/,
    ],
    ['for a bad status', captureText(), ['--status', '6xx'], /is not a status/],
    ['for a path without a slash', captureText(), ['--paths', 'hooks'], /"hooks" is not a path/],
    ['for an empty list of paths', captureText(), ['--paths', ''], /is not a path/],
    ['for an empty list of methods', captureText(), ['--methods', ' '], /is not a method/],
    ['for a list that is no methods', captureText(), ['--methods', 'POST PUT'], /is not a method/],
    [
      'for a header with its value in place of its name',
      captureText(),
      ['--drop-header', 'Authorization: s3cret'],
      /--drop-header: the value is not a header name/,
    ],
    [
      'for a header of the scheme',
      captureText(),
      ['--secret', 's', '-q', '-H', 'X-Signature: a'],
      /scheme/,
    ],
    ['for a header of the connection', captureText(), ['-H', 'Content-Length: 1'], /set by evfwd/],
    ['for --max-wait alone', captureText(), ['--max-wait', '1s'], /--speed/],
  ])('%s', async (_title, content, args, message) => {
    const { code, stderr } = await replay(content, ...args);
    expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringMatching(message)]]);
    expect(receiver.requests).toEqual([]);
  });

  it('without a URL', async () => {
    const { code, stderr } = await inProcess(['replay', 'got']);
    expect([code, stderr]).toMatchObject([2, /no URL: use --url/]);
  });
});
