import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as command from '../../../src/commands/verify-sig/command.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { runCommand } from '../../helpers/run-command.js';
import { vectors, type Vector } from '../../sign/schemes/vectors.js';

const cwd = mkdtempSync(join(tmpdir(), 'evfwd-verify-schemes-'));

interface Given {
  readonly secret: string;
  readonly body: string;
  readonly args: readonly string[];
}

/** Runs the command with the secret in the environment and the body on standard input. */
function run({ secret, body, args }: Given) {
  return runCommand(command, [...args], { cwd, stdin: body, env: { EVFWD_SECRET: secret } });
}

async function judge(given: Given) {
  const { exitCode, stdout, stderr } = await run({ ...given, args: ['--json', ...given.args] });
  return { exitCode, stderr, ...(JSON.parse(stdout) as object) };
}

function headersOf({ scheme: name, value, id, seconds, contentType }: Vector): string[] {
  const { header, id: idForm, timestamp } = presets.get(name)!;
  const headers = [`${header}: ${value}`];
  if (idForm) headers.push(`${idForm.header}: ${id!}`);
  if (timestamp?.header) headers.push(`${timestamp.header}: ${seconds!}`);
  if (contentType !== undefined) headers.push(`Content-Type: ${contentType}`);
  return headers;
}

function flagsOf(vector: Vector, headers = headersOf(vector)): string[] {
  const flags = headers.flatMap((header) => ['--header', header]);
  if (vector.seconds !== undefined) flags.push('--at', String(vector.seconds));
  if (vector.url !== undefined) flags.push('--url', withDigest(vector));
  return flags;
}

/** Twilio sends the digest of a JSON body in the query. */
const digest = '0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620';
const withDigest = ({ url, contentType }: Vector) =>
  contentType === undefined ? `${url!}&bodySHA256=${digest}` : url!;

const standard = vectors[0]!;
const whsec = standard.secret;
const id = `webhook-id: ${standard.id!}`;
const time = `webhook-timestamp: ${standard.seconds!}`;
const v1 = `webhook-signature: ${standard.value}`;

describe.each(vectors)('the published signature of $title', (vector) => {
  const { scheme, secret, body } = vector;

  it.each([[[]], [['--scheme', 'auto']], [['--scheme', scheme]]])(
    'is valid with %j',
    async (more) => {
      const found = await judge({ secret, body, args: [...flagsOf(vector), ...more] });
      expect(found).toEqual({ exitCode: 0, stderr: '', valid: true, scheme });
    },
  );

  it('may be given with --signature', async () => {
    const [, ...companions] = headersOf(vector);
    const args = ['--scheme', scheme, '--signature', vector.value, ...flagsOf(vector, companions)];
    expect(await judge({ secret, body, args })).toMatchObject({ exitCode: 0, valid: true });
  });

  it('is not valid for another body', async () => {
    const args = flagsOf(vector);
    const found = await judge({ secret, body: `${body} `, args });
    expect(found).toMatchObject({ exitCode: 1, valid: false, scheme, reason: 'mismatch' });
  });

  it('is not valid once a bit of it is changed', async () => {
    // The last character of base64 has bits that stand for nothing.
    const at = vector.value.length - 4;
    const other = vector.value[at] === 'a' ? 'b' : 'a';
    const value = vector.value.slice(0, at) + other + vector.value.slice(at + 1);
    const args = flagsOf({ ...vector, value });
    expect(await judge({ secret, body, args })).toMatchObject({ exitCode: 1, reason: 'mismatch' });
  });
});

describe.each(vectors.filter(({ seconds }) => seconds !== undefined))(
  'the published signature of $title, an hour later',
  (vector) => {
    const { secret, body } = vector;
    const late = [...flagsOf(vector), '--at', String(vector.seconds! + 3601)];

    it.each<[object, string[]]>([
      [{ exitCode: 1, valid: false, reason: 'expired' }, []],
      [{ exitCode: 0, valid: true }, ['--tolerance', 'off']],
      [{ exitCode: 0, valid: true }, ['--tolerance', '2h']],
    ])('is %j with %j', async (expected, more) => {
      expect(await judge({ secret, body, args: [...late, ...more] })).toMatchObject(expected);
    });
  },
);

describe('the reason of a broken request of Standard Webhooks', () => {
  it.each<[reason: string, headers: string[]]>([
    ['missing', [id, time]],
    ['missing', ['Content-Type: application/json']],
    ['no_id', [v1, time]],
    ['no_timestamp', [v1, id]],
    ['bad_timestamp', [v1, id, 'webhook-timestamp: soon']],
    ['bad_timestamp', [v1, id, 'webhook-timestamp: Infinity']],
    ['repeated', [v1, v1, id, time]],
    ['repeated', [v1, id, id, time]],
    ['empty', ['webhook-signature:', id, time]],
    ['unknown_version', ['webhook-signature: v9,abc', id, time]],
    ['not_base64', ['webhook-signature: v1,***', id, time]],
    ['malformed', ['webhook-signature: abc', id, time]],
    ['mismatch', [v1, 'webhook-id: msg_other', time]],
  ])('is %s for %j', async (reason, headers) => {
    const { body } = standard;
    const at = ['--at', String(standard.seconds!)];
    const args = [...headers.flatMap((header) => ['--header', header]), ...at];
    const found = await judge({ secret: whsec, body, args });
    expect(found).toEqual({
      ...{ exitCode: 1, stderr: '', valid: false, reason, hint: expect.any(String) },
      scheme: headers.some((header) => header.startsWith('webhook-sig'))
        ? 'standard-webhooks'
        : null,
    });
    expect(JSON.stringify(found)).not.toContain(whsec);
  });

  it('is future for a time ahead', async () => {
    const args = [...flagsOf(standard), '--at', String(standard.seconds! - 600)];
    const found = await judge({ secret: whsec, body: standard.body, args });
    expect(found).toMatchObject({ exitCode: 1, reason: 'future' });
  });

  it('names the scheme that the headers belong to', async () => {
    const args = [...flagsOf(standard), '--scheme', 'stripe'];
    const found = await judge({ secret: whsec, body: standard.body, args });
    expect(found).toMatchObject({
      reason: 'scheme_mismatch',
      hint: expect.stringContaining('scheme standard-webhooks'),
    });
  });

  it('is no_url for a scheme that signs the URL, without it', async () => {
    const args = ['--header', 'X-Twilio-Signature: a9nBmqA0ju/hNViExpshrM61xv4='];
    expect(await judge({ secret: '12345', body: '{}', args })).toMatchObject({ reason: 'no_url' });
  });
});

describe('a form of Twilio', () => {
  const { secret, ...vector } = vectors.find(({ title }) => title === 'Twilio, form')!;
  const { body, url, value } = vector;
  const args = ['--scheme', 'twilio', '--url', url!, '--header', `X-Twilio-Signature: ${value}`];
  const typed = (type: string) => [...args, '--header', `content-type: ${type}`];
  const judged = (more: readonly string[]) => judge({ secret, body, args: more });

  it('is valid with its Content-Type, or without one', async () => {
    const valid = { exitCode: 0, valid: true };
    expect(await judged(typed('APPLICATION/x-www-form-urlencoded; a=b'))).toMatchObject(valid);
    expect(await judged(args)).toMatchObject(valid);
  });

  it('is no_digest with that of JSON, and --explain says why', async () => {
    const json = typed('application/json');
    expect(await judged(json)).toMatchObject({
      ...{ exitCode: 1, valid: false, reason: 'no_digest' },
      hint: expect.stringContaining('the URL has no bodySHA256'),
    });
    expect(await judged([...json, '--explain'])).toMatchObject({
      ...{ reason: 'no_digest' },
      hint: expect.stringContaining('the signature fits when the body is a form'),
    });
  });
});

describe('times and secrets', () => {
  const { body } = standard;

  it.each(['2021-02-25T15:02:10Z', '2021-02-25T16:02:10+01:00', '1614265330', '1614265330.5'])(
    '--at takes %s',
    async (at) => {
      const args = [...flagsOf(standard), '--at', at];
      expect(await judge({ secret: whsec, body, args })).toMatchObject({ valid: true });
    },
  );

  it('any of several secrets may fit', async () => {
    writeFileSync(join(cwd, 'new.txt'), 'whsec_bmV3IHNlY3JldCBuZXcgc2VjcmV0IG5ldw==\n');
    writeFileSync(join(cwd, 'old.txt'), `${whsec}\n`);
    const args = [...flagsOf(standard), '--secret-file', 'new.txt', '--secret-file', 'old.txt'];
    expect(await judge({ secret: '', body, args })).toMatchObject({ exitCode: 0, valid: true });
  });

  it('the scheme may be set by the environment', async () => {
    const env = { EVFWD_SECRET: 'mysecret', EVFWD_SCHEME: 'github' };
    const { value, body: text } = vectors.find(({ title }) => title === 'Octokit')!;
    const found = await runCommand(command, ['--signature', value], { cwd, stdin: text, env });
    expect(found).toMatchObject({ exitCode: 0, stdout: 'valid\n' });
  });

  it('a key that is too short gives a warning', async () => {
    const args = [...flagsOf(standard), '--scheme', 'standard-webhooks'];
    const { stderr } = await run({ secret: 'whsec_c2hvcnQ=', body, args });
    expect(stderr).toMatch(/^warning: .*5 bytes; use at least 24.*\n$/);
  });
});

describe('verify-sig exits 2', () => {
  const leaked = 'hunter2!';

  it.each<[string, string[], RegExp]>([
    ['for an unknown scheme', ['--scheme', 'stirpe'], /--scheme: .*stripe/],
    ['for a time that is none', ['--at', 'yesterday'], /--at: "yesterday" is not a valid time/],
    ['for milliseconds', ['--at', '1614265330000'], /--at: .*leave out the milliseconds/],
    ['for a tolerance without unit', ['--tolerance', '300'], /--tolerance: "300" has no unit/],
    ['for a tolerance that is none', ['--tolerance', 'long'], /--tolerance: "long" is not a valid/],
    ['for a URL that is none', ['--url', `h/?k=${leaked}`], /--url: the value is not a URL/],
    ['for a method that is none', ['--method', `A: ${leaked}`], /--method: the value is not/],
    ['for a secret in the wrong form', ['--scheme', 'svix'], /secret is not Base64/],
  ])('%s', async (_, more, message) => {
    const args = ['--header', `X-Signature: ${'a'.repeat(40)}`, ...more];
    const { exitCode, stdout, stderr } = await run({ secret: leaked, body: '{}', args });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(leaked);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});
