import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
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
  it.each([
    [200, 0, /^delivered {2}/],
    [404, 4, /^not delivered {2}/],
    [503, 5, /^not delivered {2}/],
  ])('ends by the answer: %i', async (status, code, said) => {
    const { url, json } = await listening(status);
    const result = await cli(['send', 'track', '--event', 'E', '--user-id', 'u1', '--url', url]);
    expect(result).toMatchObject({ code, stderr: '', stdout: expect.stringMatching(said) });
    expect(json()).toMatchObject([{ type: 'track', userId: 'u1', event: 'E' }]);
  });

  it.each([
    ['brackets and braces', '/a?x[0]=1&y={a,b}', 'X-A: plain'],
    ['spaces and umlauts', '/a/../b/c d/é?q=é x#part', 'X-A: plain'],
    ['a header beyond ASCII', '/', String.raw`X-A: é'\n`],
  ])('prints a curl command that sends the same request: %s', async (_name, path, header) => {
    const { url, requests } = await listening();
    const args = ['send', '--fixture', 'track', '--url', new URL(url).origin + path, '-H', header];
    const { stdout } = await cli(args.concat('--curl'));
    await cli(args);
    await promisify(execFile)('bash', ['-c', stdout.replace(/^curl/, 'curl -s')]);
    const [direct, curled] = requests;
    expect(curled!.path).toBe(direct!.path);
    expect(curled!.headers['x-a']).toBe(direct!.headers['x-a']);
    expect(curled!.body.equals(direct!.body)).toBe(true);
  });

  it.each([
    ['bytes of a file', ['--raw', "it's.bin"], undefined, Buffer.from([0x40, 0xff, 0x00, 0x0a])],
    ['bytes of standard input', ['--raw', '-'], Buffer.from([0x40, 0xff, 0x00, 0x0a]), undefined],
    ['a text of standard input', ['--raw', '-', '--method', 'PATCH'], '@a\n', undefined],
    ['no body', ['--raw', '-', '--method', 'HEAD'], '', undefined],
  ])('prints a curl command for --raw that sends the same: %s', async (_name, raw, stdin, file) => {
    const { url, requests } = await listening();
    const cwd = folderWith(file ? { "it's.bin": file } : {});
    const signing = ['--scheme', 'github', '--content-type', 'text/x', '-H', 'X-A: b'];
    const args = ['send', ...raw, '--url', `${url}?q=1`, ...signing];
    const options = { cwd, env: { EVFWD_SECRET: 's' }, ...(stdin !== undefined && { stdin }) };
    const { stdout } = await cli(args.concat('--curl'), options);
    await cli(args, options);
    await promisify(execFile)('bash', ['-c', stdout.replace(/(^|\| )curl/, '$1curl -s')], { cwd });
    const [direct, curled] = requests;
    expect(curled!.body.equals(direct!.body)).toBe(true);
    expect([curled!.method, curled!.path]).toEqual([direct!.method, direct!.path]);
    for (const name of ['x-hub-signature-256', 'content-type', 'user-agent', 'x-a']) {
      expect(curled!.headers[name]).toBe(direct!.headers[name]);
    }
  });

  it('prints a curl command that sends the same bytes', async () => {
    const { url, requests } = await listening();
    const event = `{"type":"track","userId":"it's","event":"E $HOME \`x\` \\\\","timestamp":"2020-01-01T00:00:00Z","messageId":"m"}`;
    const args = ['send', '--data', event, '--url', `${url}?q=1`, '-H', "X-A: it's"];
    const env = { EVFWD_SECRET: 's' };
    const { stdout } = await cli(args.concat('--curl'), { env });
    await cli(args, { env });
    await promisify(execFile)('bash', ['-c', stdout.replace(/^curl/, 'curl -s')]);
    const [direct, curled] = requests;
    expect(curled!.body.equals(direct!.body)).toBe(true);
    expect(curled!.path).toBe(direct!.path);
    for (const name of ['x-signature', 'content-type', 'user-agent', 'x-a']) {
      expect(curled!.headers[name]).toBe(direct!.headers[name]);
    }
  });
});
