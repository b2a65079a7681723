import { createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as signCommand from '../../../src/commands/sign/command.js';
import * as verifyCommand from '../../../src/commands/verify-sig/command.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { runCommand } from '../../helpers/run-command.js';
import { vectors, type Vector } from '../../sign/schemes/vectors.js';

const cwd = mkdtempSync(join(tmpdir(), 'evfwd-sign-schemes-'));
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_b3RoZXIgc2VjcmV0IG90aGVyIHNlY3JldA==';
const body = '{"a":1}';
const url = 'https://example.com/hook';
writeFileSync(join(cwd, 'new.txt'), `${secret}\n`);
writeFileSync(join(cwd, 'old.txt'), `${other}\n`);
writeFileSync(
  join(cwd, 'evfwd.config.yaml'),
  [
    'schemes:',
    '  acme:',
    "    content: '{method} {url} {timestamp}.{body}'",
    '    digest: sha512',
    '    encoding: hex',
    '    header: X-Acme-Signature',
    "    value: 't={timestamp},v1={signature}'",
    "    separator: ','",
    '    timestamp: { format: ms }',
    '    tolerance: 5m',
  ].join('\n'),
);

function sign(args: readonly string[], env: Record<string, string> = { EVFWD_SECRET: secret }) {
  return runCommand(signCommand, args, { cwd, stdin: body, env });
}

function flagsOf({ scheme, id, seconds, url: to, contentType }: Vector): string[] {
  return [
    ...['--scheme', scheme],
    ...(id === undefined ? [] : ['--id', id]),
    ...(seconds === undefined ? [] : ['--at', String(seconds)]),
    ...(to === undefined ? [] : ['--url', to]),
    ...(contentType === undefined ? [] : ['--content-type', contentType]),
  ];
}

it.each(vectors)('prints the published signature: $title', async (vector) => {
  const env = { EVFWD_SECRET: vector.secret };
  const options = { cwd, stdin: vector.body, env };
  const found = await runCommand(signCommand, [...flagsOf(vector), '-q'], options);
  expect(found).toEqual({ exitCode: 0, stdout: `${vector.value}\n`, stderr: '' });
});

describe.each([...presets.keys(), 'acme'])('the headers of %s', (scheme) => {
  const flags = ['--scheme', scheme, '--url', url];

  it('are one per line, and verify-sig finds them valid', async () => {
    const { exitCode, stdout, stderr } = await sign([...flags, '--headers']);
    expect(exitCode).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^[A-Za-z0-9-]+: \S+$/);
    const query = /bodySHA256=\w+/.exec(stderr)?.[0];
    const args = [
      ...lines.flatMap((line) => ['--header', line]),
      ...['--url', query === undefined ? url : `${url}?${query}`],
    ];
    const options = { cwd, stdin: body, env: { EVFWD_SECRET: secret } };
    const verified = await runCommand(verifyCommand, args, options);
    expect(verified).toEqual({ exitCode: 0, stdout: 'valid\n', stderr: '' });
  });

  it('are the same with the same id and time', async () => {
    const fixed = [...flags, '--headers', '--id', 'msg_1', '--at', '2026-10-01T08:00:00Z'];
    expect(await sign(fixed)).toEqual(await sign(fixed));
  });
});

describe('sign --json', () => {
  it('has all headers of a scheme', async () => {
    const args = ['--scheme', 'svix', '--id', 'msg_1', '--at', '1700000000', '--json'];
    const { stdout, stderr } = await sign(args);
    const { signature } = JSON.parse(stdout) as { signature: string };
    expect(signature).toMatch(/^v1,[\w+/]{43}=$/);
    expect(JSON.parse(stdout)).toEqual({
      scheme: 'svix',
      signature,
      headers: {
        'svix-signature': signature,
        'svix-id': 'msg_1',
        'svix-timestamp': '1700000000',
      },
    });
    expect(stderr).toBe('');
  });

  it('has what Twilio wants in the query, but not the URL', async () => {
    const args = ['--scheme', 'twilio', '--url', `${url}?key=q`, '--json'];
    const { stdout } = await sign(args);
    expect(JSON.parse(stdout)).toMatchObject({
      query: expect.stringMatching(/^bodySHA256=[0-9a-f]{64}$/),
    });
    expect(stdout).not.toContain('key=q');
  });
});

describe('the content type', () => {
  const form = ['--content-type', 'application/x-www-form-urlencoded; charset=utf-8'];
  const twilio = ['--scheme', 'twilio', '--url'];
  const run = (args: string[], stdin = 'b=2&a=1+2') =>
    runCommand(signCommand, args, { cwd, stdin, env: { EVFWD_SECRET: secret } });

  it('of a form makes twilio sign its fields, and change no URL', async () => {
    const signature = createHmac('sha1', secret).update(`${url}a1 2b2`).digest('base64');
    expect(await run([...twilio, url, ...form, '--headers'])).toEqual({
      ...{ exitCode: 0, stderr: '', stdout: `X-Twilio-Signature: ${signature}\n` },
    });
    const { stdout } = await run([...twilio, url, ...form, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      ...{ scheme: 'twilio', signature, headers: { 'X-Twilio-Signature': signature } },
    });
  });

  it.each([[[]], [['--json']]])(
    'of a form says that the digest of another body must not be in the URL, with %j',
    async (more) => {
      const { stderr } = await run([...twilio, `${url}?bodySHA256=00`, ...form, ...more]);
      expect(stderr).toBe('note: send it to the URL without bodySHA256 in its query\n');
    },
  );

  it('of JSON makes twilio sign the digest of the body', async () => {
    const args = [...twilio, url];
    const typed = await run([...args, '--content-type', 'application/json']);
    expect(typed).toEqual(await run(args));
    expect(typed.stderr).toMatch(/^note: send it to the URL with bodySHA256=\w{64} in/);
  });

  it.each(['x-signature', 'github'])('has no effect on %s, and a note says so', async (scheme) => {
    const args = ['--scheme', scheme];
    const { exitCode, stdout, stderr } = await run([...args, ...form]);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: (await run(args)).stdout });
    expect(stderr).toBe(
      `note: --content-type has no effect, since ${scheme} signs every type in the same way\n`,
    );
    expect((await run([...args, ...form, '-q'])).stderr).toBe('');
  });

  it.each([
    ['form', '"form"'],
    ['', '""'],
    ['a/b\r\nX: 1', 'the value'],
    ['Content-Type: a/b', 'the value'],
  ])('cannot be %j', async (text, shown) => {
    for (const scheme of [['--scheme', 'twilio', '--url', url], []]) {
      const { exitCode, stdout, stderr } = await run([...scheme, '--content-type', text]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(
        `--content-type: ${shown} is not a content type; use e.g. application/x-www-form-urlencoded\n`,
      );
    }
  });
});

describe('ids', () => {
  const idOf = async (...more: string[]) => {
    const { stdout } = await sign(['--scheme', 'svix', '--headers', ...more]);
    return /^svix-id: (.*)$/m.exec(stdout)![1]!;
  };

  it('are random unless one is given', async () => {
    const [one, two] = [await idOf(), await idOf()];
    expect(one).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(two).not.toBe(one);
    expect(await idOf('--id', 'order-1')).toBe('order-1');
  });

  it('that the scheme cannot sign are replaced, always by the same one', async () => {
    const replaced = await idOf('--id', 'a.b');
    expect(replaced).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(await idOf('--id', 'a.b')).toBe(replaced);
  });
});

describe('what the value alone does not say', () => {
  it.each<[string[], RegExp]>([
    [
      ['--scheme', 'svix'],
      /^note: the receiver needs svix-id and svix-timestamp, too; .*--headers\n$/,
    ],
    [['--scheme', 'svix', '--id', 'x'], /^note: the receiver needs svix-timestamp, too/],
    [['--scheme', 'svix', '--id', 'x', '--at', '1700000000'], /^$/],
    [['--scheme', 'svix', '-q'], /^$/],
    [['--scheme', 'stripe'], /^$/],
    [['--scheme', 'twilio', '--url', url], /^note: send it to the URL with bodySHA256=\w{64} in/],
  ])('is said for %j', async (args, said) => {
    expect((await sign(args)).stderr).toMatch(said);
  });
});

describe('several secrets', () => {
  const both = ['--secret-file', 'new.txt', '--secret-file', 'old.txt'];

  it.each([
    ['standard-webhooks', /^webhook-signature: v1,\S+ v1,\S+$/m],
    ['svix', /^svix-signature: v1,\S+ v1,\S+$/m],
    ['stripe', /^Stripe-Signature: t=\d+,v1=\w+,v1=\w+$/m],
    ['convoy-advanced', /^X-Convoy-Signature: t=\d+,v1=\w+,v1=\w+$/m],
    ['hookdeck', /^x-hookdeck-signature: \S+\nx-hookdeck-signature-2: \S+$/m],
  ])('sign all for %s', async (scheme, expected) => {
    const { exitCode, stdout } = await sign(['--scheme', scheme, '--headers', ...both], {});
    expect(stdout).toMatch(expected);
    expect(exitCode).toBe(0);
  });

  it.each([
    'x-signature',
    'github',
    'github-sha1',
    'shopify',
    'slack',
    'twitch',
    'convoy',
    'twilio',
  ])('are refused for %s, which carries one', async (scheme) => {
    const args = ['--scheme', scheme, '--url', url, ...both];
    const { exitCode, stdout, stderr } = await sign(args, {});
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(
      `--secret-file: there are 2 secrets, but ${scheme} sends one signature; leave out the oldest\n`,
    );
  });
});

describe('sign exits 2', () => {
  it.each<[string, string[], string, RegExp]>([
    ['for an unknown scheme', ['--scheme', 'git-hub'], secret, /--scheme: .*github/],
    ['for a secret in the wrong form', ['--scheme', 'svix'], 'hunter2!', /EVFWD_SECRET: .*Base64/],
    ['for a public key', ['--scheme', 'svix'], 'whpk_aGFsbG8=', /public key .* cannot sign/],
    ['without a URL', ['--scheme', 'twilio'], secret, /twilio signs the URL; pass it with --url/],
    ['for a URL that is none', ['--scheme', 'twilio', '--url', 'h'], secret, /--url: the value/],
    ['for a time that is none', ['--scheme', 'svix', '--at', '1h'], secret, /--at: "1h" is not/],
    ['for such a time of X-Signature', ['--at', '1h'], secret, /--at: "1h" is not/],
    ['for an empty id', ['--scheme', 'svix', '--id', ''], secret, /--id is empty/],
  ])('%s', async (_, args, key, message) => {
    const { exitCode, stdout, stderr } = await sign(args, { EVFWD_SECRET: key });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(key);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});

it('signs by the scheme of the environment', async () => {
  const { stdout } = await sign([], { EVFWD_SECRET: secret, EVFWD_SCHEME: 'github' });
  expect(stdout).toMatch(/^sha256=[0-9a-f]{64}\n$/);
});
