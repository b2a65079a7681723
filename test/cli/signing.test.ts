import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import {
  headerOf,
  signingBy,
  standardSecret,
  verdictOf,
  type Received,
} from '../helpers/signing.js';

const oldSecret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

const config = `schemes:
  acme:
    content: '{timestamp}.{body}'
    digest: sha512
    encoding: hex
    header: X-Acme-Signature
    value: 't={timestamp},v1={signature}'
    separator: ','
    timestamp: { format: seconds }
    tolerance: 5m
profiles:
  standard:
    webhooks:
      scheme: standard-webhooks
      sharedSecret: [${standardSecret}, ${oldSecret}]
      endpoints: [{ url: 'http://localhost:1/hook' }]
  own: { webhooks: { scheme: acme, sharedSecret: s, endpoints: [{ url: 'http://localhost:1/hook' }] } }
  unsigned: { webhooks: { scheme: github, endpoints: [{ url: 'http://localhost:1/hook' }] } }
  clash:
    webhooks:
      scheme: slack
      sharedSecret: s
      endpoints: [{ url: 'http://localhost:1/hook', headers: { x-slack-signature: hidden } }]
  collector: { collector: { writeKey: k, endpoint: 'http://localhost:1' } }
`;

const files = {
  'evfwd.config.yaml': config,
  new: `${standardSecret}\n`,
  old: `${oldSecret}\n`,
  plain: 'hidden secret\n',
};

async function send(args: readonly string[], env: Record<string, string> = {}) {
  const cwd = folderWith(files);
  return inProcess(['send', '--fixture', 'track', ...args], { cwd, env });
}

/** The request that would be sent. */
async function dryRun(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Received> {
  const { stdout, stderr, code } = await send(['--dry-run', '--json', ...args], env);
  if (code !== 0) throw new Error(stderr);
  const { headers, body } = JSON.parse(stdout) as { headers: Record<string, string>; body: string };
  return { headers: Object.entries(headers), body: Buffer.from(body), path: '/hook' };
}

const url = ['--url', 'http://localhost:1/hook'];
const standard = ['--scheme', 'standard-webhooks'];

describe('a request of send', () => {
  it.each<[string, string[], Record<string, string>, string, string[]]>([
    ['--scheme', [...url, ...standard, '--secret-file', 'new'], {}, standardSecret, []],
    [
      'EVFWD_SCHEME',
      url,
      { EVFWD_SCHEME: 'standard-webhooks', EVFWD_SECRET: oldSecret },
      oldSecret,
      [],
    ],
    [
      'a flag before the environment',
      [...url, ...standard],
      { EVFWD_SCHEME: 'github', EVFWD_SECRET: oldSecret },
      oldSecret,
      [],
    ],
    ['a profile', ['-p', 'standard'], {}, standardSecret, []],
    [
      'a profile of the command line before the environment',
      ['-p', 'standard'],
      { EVFWD_SCHEME: 'github' },
      standardSecret,
      ['--profile standard replaces EVFWD_SCHEME of the environment'],
    ],
    ['the older secret of a profile', ['-p', 'standard'], {}, oldSecret, []],
    [
      'the older of two files',
      [...url, ...standard, '--secret-file', 'new', '--secret-file', 'old'],
      {},
      oldSecret,
      [],
    ],
    [
      'a second scheme with a secret of its own',
      [
        ...url,
        '--secret-file',
        'plain',
        '--also-scheme',
        'standard-webhooks',
        '--also-secret-file',
        'new',
      ],
      {},
      standardSecret,
      [],
    ],
    [
      'a second scheme with the same secret',
      [...url, '--scheme', 'stripe', '--secret-file', 'new', '--also-scheme', 'standard-webhooks'],
      {},
      standardSecret,
      [],
    ],
  ])('is signed as %s says', async (_what, args, env, secret, lines) => {
    const request = await dryRun(args, env);
    const [signing] = signingBy('standard-webhooks', secret);
    expect(verdictOf(request, signing, Date.now())).toMatchObject({ valid: true });
    if (lines.length > 0)
      expect((await send(['--dry-run', ...args], env)).stderr.trim()).toBe(lines[0]);
  });

  it('is signed by both schemes', async () => {
    const args = ['--scheme', 'stripe', '--also-scheme', 'standard-webhooks'];
    const request = await dryRun([...url, ...args, '--secret-file', 'new']);
    const [stripe] = signingBy('stripe', standardSecret);
    expect(verdictOf(request, stripe, Date.now())).toMatchObject({ valid: true });
  });

  it.each([
    ['by a flag', [...url, '--scheme', 'acme', '--secret', 's', '-q']],
    ['by a profile', ['-p', 'own']],
    [
      'of a file that a flag names',
      [...url, '--scheme', 'acme', '--secret', 's', '-q', '--config', 'evfwd.config.yaml'],
    ],
  ])('is signed by a scheme of the configuration file, %s', async (_how, args) => {
    const request = await dryRun(args);
    expect(headerOf(request, 'x-acme-signature')).toMatch(/^t=\d{10},v1=[\da-f]{128}$/);
  });

  it('is signed in a second header for a delete notification, whose id is made', async () => {
    const cwd = folderWith(files);
    const args = ['send', 'delete', '--user-id', 'u1', '--dry-run', '--json'];
    const { stdout } = await inProcess([...args, ...url, ...standard, '--secret-file', 'new'], {
      cwd,
    });
    const { headers, body } = JSON.parse(stdout) as {
      headers: Record<string, string>;
      body: string;
    };
    const request = { headers: Object.entries(headers), body: Buffer.from(body), path: '/hook' };
    const [signing] = signingBy('standard-webhooks', standardSecret);
    expect(verdictOf(request, signing, Date.now())).toMatchObject({ valid: true });
    expect(headers['webhook-id']).toMatch(/^[\w-]{20,}$/);
  });

  it('says with --curl how long its time is valid, unless quiet', async () => {
    const args = ['--curl', ...url, ...standard, '--secret-file', 'new'];
    const { stdout, stderr } = await send(args);
    expect(stdout).toMatch(/-H 'webhook-id: \S+' -H 'webhook-timestamp: \d+'/);
    expect(stderr).toBe(
      'valid for 5 min: standard-webhooks signs the time; after that, print the command again\n',
    );
    expect((await send([...args, '-q'])).stderr).toBe('');
    expect((await send(['--curl', ...url, '--secret-file', 'plain'])).stderr).toBe('');
  });

  it('of twilio shows its query with --curl, and hides it with --dry-run', async () => {
    const args = [...url, '--scheme', 'twilio', '--secret-file', 'plain'];
    expect((await send(['--curl', ...args])).stdout).toMatch(/\/hook\?bodySHA256=[\da-f]{64}'/);
    expect((await send(['--dry-run', ...args])).stdout).toMatch(
      /^POST http:\/\/localhost:1\/hook\?\*{3}\n/,
    );
  });

  it('warns of a secret that is too short', async () => {
    const { stderr } = await send([...url, '--dry-run', ...standard], { EVFWD_SECRET: 'AAAA' });
    expect(stderr).toMatch(/^warning: EVFWD_SECRET: .*24/);
  });
});

describe('send refuses', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    [
      'an unknown scheme',
      ['--scheme', 'standart-webhooks', '--secret-file', 'new'],
      {},
      /^evfwd: --scheme: .*Did you mean standard-webhooks\?.* acme/,
    ],
    [
      'an unknown second scheme',
      ['--also-scheme', 'strip', '--secret-file', 'new'],
      {},
      /^evfwd: --also-scheme: .*Did you mean stripe\?/,
    ],
    [
      'an unknown scheme of the environment',
      [],
      { EVFWD_SCHEME: 'gihub', EVFWD_SECRET: 's' },
      /^evfwd: EVFWD_SCHEME: .*Did you mean github\?/,
    ],
    [
      'a scheme without a secret',
      ['--scheme', 'github'],
      {},
      /^evfwd: --scheme needs a secret; use --secret-file/,
    ],
    [
      'a scheme of the environment without one',
      [],
      { EVFWD_SCHEME: 'github' },
      /^evfwd: EVFWD_SCHEME needs a secret/,
    ],
    [
      'a second scheme without one',
      ['--also-scheme', 'github'],
      {},
      /^evfwd: --also-scheme needs a secret/,
    ],
    [
      'a second secret without its scheme',
      ['--also-secret-file', 'new', '--secret-file', 'old'],
      {},
      /^evfwd: --also-secret-file needs --also-scheme/,
    ],
    [
      'two secrets where one goes',
      ['--secret-file', 'new', '--secret-file', 'old'],
      {},
      /^evfwd: --secret-file: there are 2 secrets, but x-signature/,
    ],
    [
      'both kinds of secrets',
      ['--secret-file', 'new', '--secret', 's'],
      {},
      /^evfwd: --secret and --secret-file are both set/,
    ],
    [
      'a secret in another form',
      [...standard, '--secret-file', 'plain'],
      {},
      /^evfwd: --secret-file: the secret is not Base64/,
    ],
    [
      'a second secret in another form',
      ['--secret-file', 'new', '--also-scheme', 'svix', '--also-secret-file', 'plain'],
      {},
      /^evfwd: --also-scheme svix: the secret is not Base64/,
    ],
    [
      'two schemes with one header',
      ['--scheme', 'convoy', '--also-scheme', 'convoy-advanced', '--secret-file', 'new'],
      {},
      /^evfwd: --also-scheme convoy-advanced: the first scheme sends the header x-convoy-signature, too/,
    ],
    [
      'a header of the scheme',
      [...standard, '--secret-file', 'new', '-H', 'WebHook-Id: hidden'],
      {},
      /^evfwd: --header: the header WebHook-Id is set by the scheme standard-webhooks/,
    ],
    [
      'a header of the second scheme',
      ['--secret-file', 'new', '--also-scheme', 'github', '-H', 'X-Hub-Signature-256: hidden'],
      {},
      /^evfwd: --header: the header X-Hub-Signature-256 is set by the scheme github/,
    ],
    [
      'two schemes',
      ['--scheme', 'github', '--scheme', 'stripe', '--secret-file', 'new'],
      {},
      /^evfwd: --scheme: used twice/,
    ],
  ])('%s', async (_what, args, env, message) => {
    const { stderr, stdout, code } = await send([...url, '--dry-run', ...args], env);
    expect(stderr.replace(/^warning: .*\n/, '')).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(/hidden|MfKQ|AAAAAA/);
  });

  it.each([
    [
      'a header of the scheme in a profile',
      'clash',
      /profiles\.clash: the header x-slack-signature is set by the scheme slack/,
    ],
    [
      'a scheme without a secret in a profile',
      'unsigned',
      /profiles\.unsigned\.webhooks\.scheme needs a secret/,
    ],
  ])('%s', async (_what, profile, message) => {
    const { stderr, code } = await send(['-p', profile]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hidden');
    expect(code).toBe(2);
  });

  it('a scheme beside a collector', async () => {
    const { stderr, code } = await send(['-p', 'collector', '--scheme', 'github', '--dry-run']);
    expect(stderr).toMatch(/^evfwd: --scheme is for webhooks/);
    expect(code).toBe(2);
  });
});
