import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';

const scheme = (name: string, header: string) => `schemes:
  ${name}: { content: '{body}', digest: sha256, encoding: hex, header: ${header} }
profiles:
  here: { webhooks: { sharedSecret: s, endpoints: [{ url: 'http://127.0.0.1:1/hook' }] } }
sources: { web: { writeKey: k, destinations: [crm] } }
destinations:
  crm: { type: Webhooks, sharedSecret: s, endpoints: [{ url: 'https://crm.example.com/hook' }] }
`;

const capture = { type: 'request', id: '1', method: 'POST', path: '/', headers: {}, body: '{}' };
const files = {
  'body.json': '{}',
  'events.ndjson': '{"type":"identify","userId":"u1"}\n',
  'members.csv': 'userId\nu1\n',
  'capture.ndjson': `${JSON.stringify(capture)}\n`,
};
const url = ['--url', 'http://127.0.0.1:1/hook'];
const audience = ['audience', 'sync', '--name', 'A', '--members', 'members.csv'];

/** Runs it in a folder with these files, which the arguments name. */
function run(args: readonly string[], more: Record<string, string>, env = {}) {
  const cwd = folderWith({ ...files, ...more });
  const paths = new Set([...Object.keys(files), ...Object.keys(more)]);
  const given = args.map((arg) => (paths.has(arg) ? join(cwd, arg) : arg));
  return inProcess(given, { cwd, env });
}

const commands: [title: string, args: string[]][] = [
  ['send', ['send', '--fixture', 'track', ...url]],
  ['send --raw', ['send', '--raw', 'body.json', ...url]],
  ['import', ['import', 'events.ndjson', ...url]],
  ['replay', ['replay', 'capture.ndjson', ...url]],
  ['audience', [...audience, ...url]],
  ['check', ['check', 'http://127.0.0.1:1/hook']],
  ['listen', ['listen', '--port', '0', '--within', '1ms', '--expect', 'track']],
  ['sign', ['sign', 'body.json']],
  ['verify-sig', ['verify-sig', 'body.json', '--header', 'X-Signature: 00']],
  ['verify-sig --signature', ['verify-sig', 'body.json', '--signature', '00']],
  ['verify-sig --requests', ['verify-sig', '--requests', 'capture.ndjson']],
];

const wrong: [title: string, text: string, message: string][] = [
  [
    'has the name of a preset',
    scheme('github', 'X-Acme'),
    'schemes.github is the name of a preset',
  ],
  ['has a reserved header', scheme('acme', 'Content-Type'), 'is a header of HTTP or of evfwd'],
];

describe.each(wrong)('a configuration file of which a scheme %s', (_, text, message) => {
  const config = { 'evfwd.config.yaml': text };
  const refused = { code: 2, stderr: expect.stringContaining(message) as string, stdout: '' };

  describe.each(commands)('is refused by %s', (_title, args) => {
    it.each(['github', 'x-signature'])('with --scheme %s', async (name) => {
      const more = ['--scheme', name, '--secret', 's', '-q'];
      expect(await run([...args, ...more], config)).toMatchObject(refused);
    });

    it('with the scheme of the environment', async () => {
      const env = { EVFWD_SCHEME: 'stripe', EVFWD_SECRET: 's' };
      expect(await run(args, config, env)).toMatchObject(refused);
    });
  });

  it.each([
    ['sign', ['sign', 'body.json']],
    ['verify-sig', ['verify-sig', 'body.json', '--signature', '00']],
    ['listen', ['listen', '--port', '0', '--within', '1ms', '--expect', 'track']],
  ])('is refused by %s if it is named', async (_title, args) => {
    const more = ['--config', 'evfwd.config.yaml', '--secret', 's', '-q'];
    expect(await run([...args, ...more], config)).toMatchObject(refused);
  });

  it('is refused by serve, and by a profile', async () => {
    expect(await run(['serve', '--port', '0'], config)).toMatchObject(refused);
    const send = ['send', '--fixture', 'track', '-p', 'here'];
    expect(await run(send, config)).toMatchObject(refused);
  });
});

describe('a public key', () => {
  const key = 'whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g=';
  const secrets = { key: `${key}\n`, secret: 's\n' };
  const hex = (digest: string, secret: string) =>
    createHmac(digest, secret).update('{}').digest('hex');
  const forged = ['--header', `X-Hub-Signature-256: sha256=${hex('sha256', key)}`];
  const keyFile = ['--secret-file', 'key'];

  it('makes no forged request valid', async () => {
    const verify = ['verify-sig', 'body.json', ...keyFile];
    const { code, stdout } = await run([...verify, ...forged], secrets);
    expect(code).toBe(1);
    expect(stdout).toContain('a whpk_ key is a public key of ed25519');
    const both = [...verify, '--secret-file', 'secret', '--signature'];
    expect((await run([...both, hex('sha1', key)], secrets)).code).toBe(1);
    expect((await run([...both, hex('sha1', 's')], secrets)).code).toBe(0);
  });

  it('is refused where the scheme has no such key', async () => {
    for (const args of [
      ['verify-sig', 'body.json', '--signature', hex('sha1', key)],
      ['verify-sig', 'body.json', ...forged, '--scheme', 'github'],
      ['sign', 'body.json'],
      ['sign', 'body.json', '--scheme', 'stripe'],
      ['send', '--fixture', 'track', ...url],
      ['check', 'http://127.0.0.1:1/hook'],
      ['listen', '--port', '0', '--within', '1ms', '--expect', 'track'],
    ]) {
      const { code, stderr } = await run([...args, ...keyFile], secrets);
      expect(stderr).toContain('--secret-file: a whpk_ key is a public key of ed25519');
      expect(code).toBe(2);
    }
  });
});

it.each([[], ['--scheme', 'auto'], ['--scheme', 'acme']])(
  'verify-sig tries a scheme of the file that has the header X-Signature: %s %s',
  async (...flags) => {
    const config = { 'evfwd.config.yaml': scheme('acme', 'X-Signature') };
    const signature = createHmac('sha256', 's').update('{}').digest('hex');
    const header = ['--header', `X-Signature: ${signature}`];
    const args = ['verify-sig', 'body.json', '--secret', 's', '-q', ...header, ...flags];
    expect(await run(args, config)).toMatchObject({ code: 0 });
    const sha1 = createHmac('sha1', 's').update('{}').digest('hex');
    const usual = ['verify-sig', 'body.json', '--secret', 's', '-q', '--signature', sha1];
    expect(await run(usual, config)).toMatchObject({ code: 0 });
  },
);
