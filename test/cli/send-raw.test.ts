import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import twilio from 'twilio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { version } from '../../src/version.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;
let status: number;

beforeEach(async () => {
  status = 200;
  receiver = await startReceiver(() => ({ status }));
});
afterEach(() => receiver.close());

const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x0a]);

const send = (...args: string[]) =>
  inProcess([
    'send',
    '--raw',
    join(folderWith({ body: bytes }), 'body'),
    '--url',
    receiver.url,
    ...args,
  ]);

describe('evfwd send --raw', () => {
  it('posts the bytes of a file as JSON, nothing checked', async () => {
    expect((await send()).code).toBe(0);
    expect(receiver.requests[0]).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', 'content-length': '4' },
      body: bytes,
    });
  });

  it('has another method, type and header if asked for', async () => {
    await send('--method', 'PUT', '--content-type', 'text/plain', '-H', 'X-A: b');
    expect(receiver.requests[0]).toMatchObject({
      method: 'PUT',
      headers: { 'content-type': 'text/plain', 'x-a': 'b' },
    });
  });

  it('is signed by its scheme', async () => {
    await send('--secret', 's', '--scheme', 'github', '-q');
    const expected = createHmac('sha256', 's').update(bytes).digest('hex');
    expect(receiver.requests[0]!.headers['x-hub-signature-256']).toBe(`sha256=${expected}`);
  });

  describe('by twilio', () => {
    const form = 'To=%2B1800&Body=a+b&Body=a+b';
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    const given = ['send', '--raw', '-', '--scheme', 'twilio'];
    const sent = (...more: string[]) =>
      inProcess([...given, '--url', `${receiver.url}?q=1`, ...more], {
        ...{ stdin: form, env: { EVFWD_SECRET: 's' } },
      });
    const signature = () =>
      twilio.getExpectedTwilioSignature('s', `${receiver.url}?q=1`, { Body: 'a b', To: '+1800' });

    it('is signed as a form with the content type of one', async () => {
      expect((await sent('--content-type', type)).code).toBe(0);
      expect(receiver.requests[0]).toMatchObject({
        path: '/hook?q=1',
        headers: { 'content-type': type, 'x-twilio-signature': signature() },
        body: Buffer.from(form),
      });
    });

    it('is shown as a form by --dry-run and --curl', async () => {
      for (const flag of ['--dry-run', '--curl']) {
        const { stdout } = await sent('--content-type', type, flag);
        expect(stdout).toContain(`X-Twilio-Signature: ${signature()}`);
        expect(stdout).not.toContain('bodySHA256');
      }
    });

    it('is signed with the digest of its body without one', async () => {
      await sent();
      const { path, headers } = receiver.requests[0]!;
      expect(path).toMatch(/^\/hook\?q=1&bodySHA256=[\da-f]{64}$/);
      const [url, value] = [new URL(path, receiver.url).href, headers['x-twilio-signature']];
      expect(twilio.validateRequestWithBody('s', String(value), url, form)).toBe(true);
    });
  });

  it('reads standard input, to a URL without a path', async () => {
    const { origin } = new URL(receiver.url);
    await inProcess(['send', '--raw', '-', '--url', origin], { stdin: 'text' });
    expect(receiver.requests[0]).toMatchObject({ path: '/', body: Buffer.from('text') });
  });

  it('shows the request with --dry-run, and sends nothing', async () => {
    const { code, stdout } = await send(
      ...['--dry-run', '--method', 'PUT', '-H', 'X-Key: hidden', '--content-type', 'text/x'],
    );
    const [start, ...lines] = stdout.split('\n');
    expect([code, start]).toEqual([0, `PUT ${receiver.url}`]);
    expect(lines).toEqual([
      ...[`User-Agent: evfwd/${version}`, 'Content-Type: text/x', 'X-Key: ***', ''],
      ...['(4 bytes, not text in UTF-8)', ''],
    ]);
    expect(receiver.requests).toEqual([]);
  });

  it('shows text and the signature with --dry-run, and all bytes with --json', async () => {
    const args = ['send', '--raw', '-', '--url', receiver.url, '--dry-run'];
    const env = { EVFWD_SECRET: 's', EVFWD_SCHEME: 'github' };
    const { stdout } = await inProcess(args, { stdin: 'text', env });
    const expected = createHmac('sha256', 's').update('text').digest('hex');
    expect(stdout).toContain(`X-Hub-Signature-256: sha256=${expected}\n\ntext\n`);
    const json = JSON.parse((await send('--dry-run', '--json')).stdout) as object;
    expect(json).toMatchObject({ method: 'POST', bodyBase64: bytes.toString('base64') });
  });

  it.each([
    [404, 4],
    [503, 5],
  ])('exits as send does: %i, %i', async (response, code) => {
    status = response;
    expect((await send()).code).toBe(code);
  });

  it('takes an expected status', async () => {
    status = 401;
    expect((await send('--expect-status', '401')).code).toBe(0);
  });

  it.each([
    [['--user-id', 'u'], /--user-id/],
    [['track'], /track/],
    [['--method', 'A B'], /--method/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await send(...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(receiver.requests).toEqual([]);
  });

  it('is needed for --method', async () => {
    const { code, stderr } = await inProcess(['send', '--method', 'PUT', '--url', receiver.url]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--method needs --raw')]);
  });
});
