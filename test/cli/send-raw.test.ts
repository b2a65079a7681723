import { createHmac } from 'node:crypto';
import { join } from 'node:path';
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
