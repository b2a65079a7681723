import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as command from '../../../src/commands/verify-sig/command.js';
import { requestSigner } from '../../../src/sign/request-signer.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { runCommand } from '../../helpers/run-command.js';

const cwd = mkdtempSync(join(tmpdir(), 'evfwd-verify-captures-'));
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const receivedAt = '2026-10-01T08:00:00.000Z';
const receivedMs = Date.parse(receivedAt);
const body = '{"a":1}';
const host = 'hooks.example.com';

interface Sent {
  readonly scheme: string;
  /** Before it is received. */
  readonly ageMs?: number;
  readonly signed?: string;
  readonly url?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly rest?: object;
}

/** The capture of a request that a sender has signed. */
function capture(sent: Sent): string {
  const { scheme, ageMs = 0, signed = body, contentType, headers, rest } = sent;
  const signer = requestSigner({ scheme: presets.get(scheme)!, secrets: [secret] }, '');
  const url = sent.url ?? `http://${host}/${scheme}?key=q`;
  const made = signer.sign({
    ...{ body: Buffer.from(signed), id: 'msg_1', nowMs: receivedMs - ageMs, method: 'POST', url },
    contentType,
  });
  const { pathname, search } = new URL(made.url ?? url);
  return JSON.stringify({
    ...{ type: 'request', id: `r-${scheme}`, receivedAt, method: 'POST' },
    path: pathname + search,
    headers: { host, ...Object.fromEntries(made.headers), ...headers },
    body,
    ...rest,
  });
}

function check(lines: readonly string[], ...flags: string[]) {
  const env = { EVFWD_SECRET: secret };
  return runCommand(command, ['--requests', '-', ...flags], { cwd, stdin: lines.join('\n'), env });
}

async function problems(lines: readonly string[], ...flags: string[]) {
  const { stdout } = await check(lines, '--json', ...flags);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const names = [...presets.keys()];

describe('a capture of several senders', () => {
  it('is valid as of the time when each request was received', async () => {
    const found = await check(names.map((scheme) => capture({ scheme })));
    expect(found).toEqual({
      exitCode: 0,
      stdout: `${names.length} read: ${names.length} valid, 0 not valid\n`,
      stderr: '',
    });
  });

  it('has a line for each request that is not valid, with its scheme', async () => {
    const lines = names.flatMap((scheme) => [
      capture({ scheme }),
      capture({ scheme, signed: '{"a":2}' }),
    ]);
    const found = await problems(lines);
    expect(found.at(-1)).toEqual({
      ...{ type: 'summary', read: lines.length, valid: names.length, invalid: names.length },
    });
    expect(
      found.slice(0, -1).map(({ line, id, scheme, reason }) => [line, id, scheme, reason]),
    ).toEqual(names.map((scheme, index) => [index * 2 + 2, `r-${scheme}`, scheme, 'mismatch']));
  });

  it('names the scheme for people, too, but no query', async () => {
    const { exitCode, stdout } = await check([capture({ scheme: 'stripe', ageMs: 360_000 })]);
    expect(stdout).toMatch(/^line 1: r-stripe POST \/stripe expired \(stripe\): /);
    expect(stdout).not.toContain('key=q');
    expect(exitCode).toBe(1);
  });

  it('is explained', async () => {
    const [found] = await problems(
      [capture({ scheme: 'slack', signed: `${body}\n` })],
      '--explain',
    );
    expect(found).toMatchObject({
      hint: expect.stringContaining('an extra trailing newline (LF)'),
    });
  });
});

describe('the time of a capture', () => {
  const old = capture({ scheme: 'standard-webhooks', ageMs: 301_000 });
  const ahead = capture({ scheme: 'standard-webhooks', ageMs: -301_000 });
  const fresh = capture({ scheme: 'standard-webhooks' });
  const undated = capture({ scheme: 'standard-webhooks', rest: { receivedAt: undefined } });

  it.each<[string, string, string[], string | undefined]>([
    ['too old when it was received', old, [], 'expired'],
    ['ahead when it was received', ahead, [], 'future'],
    ['old, with a wider tolerance', old, ['--tolerance', '6m'], undefined],
    ['old, with times not judged', old, ['--tolerance', 'off'], undefined],
    ['fresh', fresh, [], undefined],
    ['fresh, judged as of a later time', fresh, ['--at', '2026-10-02'], 'expired'],
    ['without a time of reception: as of now', undated, [], 'expired'],
    ['without one, judged as of its time', undated, ['--at', receivedAt], undefined],
  ])('%s', async (_, line, flags, reason) => {
    const [found] = await problems([line], ...flags);
    expect(found!.reason).toBe(reason);
  });
});

describe('the URL of a capture', () => {
  const https = `https://${host}/twilio?key=q`;

  it.each<[string, string, Record<string, string | string[]>, string | undefined]>([
    ['http and Host', `http://${host}/twilio`, {}, undefined],
    ['what a tunnel notes', https, { 'x-forwarded-proto': 'https' }, undefined],
    ['the first of several proxies', https, { 'x-forwarded-proto': 'https, http' }, undefined],
    [
      'the host that a tunnel notes',
      https,
      { host: 'localhost:4400', 'x-forwarded-host': host, 'x-forwarded-proto': 'https' },
      undefined,
    ],
    ['another protocol', https, {}, 'mismatch'],
    ['without a host', https, { host: '' }, 'no_url'],
    ['a host with a path', https, { 'x-forwarded-host': `${host}/twilio?x=` }, 'no_url'],
    ['a host with a user', https, { 'x-forwarded-host': `user@${host}` }, 'no_url'],
    ['a host that is in no URL', https, { host: `${host}#` }, 'no_url'],
    ['a protocol with a host', https, { 'x-forwarded-proto': `https://${host}/?` }, 'no_url'],
    ['a protocol that is not HTTP', https, { 'x-forwarded-proto': 'ftp' }, 'no_url'],
  ])('%s', async (_, url, headers, reason) => {
    const [found] = await problems([capture({ scheme: 'twilio', url, headers })]);
    expect(found!.reason).toBe(reason);
  });
});

describe('a form of Twilio in a capture', () => {
  const type = 'application/x-www-form-urlencoded';
  const form = (contentType: string | string[]) =>
    capture({
      ...{ scheme: 'twilio', signed: 'b=2&a=1', contentType: type },
      ...{ headers: { 'Content-Type': contentType }, rest: { body: 'b=2&a=1' } },
    });

  it.each([
    [type, undefined],
    [`${type}; charset=utf-8`, undefined],
    ['application/json', 'no_digest'],
    [[type, 'application/json'], 'no_digest'],
  ])('is judged by its Content-Type %j: %s', async (contentType, reason) => {
    const [found] = await problems([form(contentType)]);
    expect(found!.reason).toBe(reason);
  });
});

describe('headers of a capture', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['twice', { 'webhook-id': ['msg_1', 'msg_1'] }, 'repeated'],
    ['twice in two cases', { 'Webhook-Id': 'msg_1' }, 'repeated'],
    ['without the id', { 'webhook-id': undefined }, 'no_id'],
    ['without the time', { 'webhook-timestamp': undefined }, 'no_timestamp'],
    ['without the signature', { 'webhook-signature': undefined }, 'missing'],
    ['a value that is no text', { 'webhook-signature': null }, 'empty'],
  ])('%s', async (_, headers, reason) => {
    const line = capture({
      scheme: 'standard-webhooks',
      headers: headers as Record<string, string>,
    });
    expect((await problems([line]))[0]).toMatchObject({ reason });
  });
});

describe('a HAR file', () => {
  const entryOf = (line: string) => {
    const { path, headers } = JSON.parse(line) as { path: string; headers: Record<string, string> };
    return {
      startedDateTime: receivedAt,
      request: {
        ...{ method: 'POST', url: `https://${host}${path}`, postData: { text: body } },
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      },
    };
  };

  it('has a line for each entry that is not valid, or lacks its body', async () => {
    const good = entryOf(capture({ scheme: 'stripe' }));
    const bad = entryOf(capture({ scheme: 'github', signed: '{}' }));
    const bodiless = { request: { ...good.request, postData: {}, bodySize: 7 } };
    const har = { log: { entries: [good, bad, bodiless] } };
    const lacksBody =
      /^entry 3, POST https:.* does not have the body that was sent; export it again/;
    for (const text of [JSON.stringify(har), JSON.stringify(har, undefined, 2)]) {
      expect(await problems([text])).toMatchObject([
        { line: 2, scheme: 'github', reason: 'mismatch' },
        { line: 3, reason: 'not_a_request', hint: expect.stringMatching(lacksBody) as string },
        { read: 3, valid: 1, invalid: 1, unreadable: 1 },
      ]);
    }
  });

  it('numbers its entries where a line is printed for each', async () => {
    const bad = entryOf(capture({ scheme: 'github', signed: '{}' }));
    const entries = [bad, { request: { ...bad.request, postData: {}, bodySize: 7 } }];
    const { stdout } = await check([JSON.stringify({ log: { entries } })]);
    expect(stdout).toMatch(/^entry 1: .*\nentry 2: .*\n2 read/);
  });

  it('has the URL that was signed', async () => {
    const url = `https://${host}/twilio?key=q`;
    const entry = entryOf(capture({ scheme: 'twilio', url }));
    const { stdout } = await check([JSON.stringify({ log: { entries: [entry] } })]);
    expect(stdout).toBe('1 read: 1 valid, 0 not valid\n');
  });

  it('that is cut off is refused', async () => {
    const { exitCode, stderr } = await check(['{"log":{"entries":[']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('standard input: is a HAR file that is damaged or cut off');
  });
});

describe('with a scheme', () => {
  it('requests of other senders do not match it', async () => {
    const found = await problems(
      [capture({ scheme: 'github' }), capture({ scheme: 'stripe' })],
      ...['--scheme', 'github'],
    );
    expect(found).toMatchObject([{ line: 2, reason: 'scheme_mismatch' }, { valid: 1 }]);
  });

  it('several secrets may fit', async () => {
    writeFileSync(join(cwd, 'new.txt'), 'other\n');
    writeFileSync(join(cwd, 'old.txt'), secret);
    const flags = ['--secret-file', 'new.txt', '--secret-file', 'old.txt'];
    const lines = names.map((scheme) => capture({ scheme }));
    expect((await check(lines, ...flags)).exitCode).toBe(0);
  });

  it.each(['--url', '--method', '--header', '--signature'])('%s is refused', async (flag) => {
    const { exitCode, stderr } = await check([], flag, 'x');
    expect(stderr).toContain(`leave out ${flag}`);
    expect(exitCode).toBe(2);
  });

  it('a secret in the wrong form is refused', async () => {
    const env = { EVFWD_SECRET: 'hunter2!' };
    const args = ['--requests', '-', '--scheme', 'svix'];
    const { exitCode, stderr } = await runCommand(command, args, { cwd, stdin: '', env });
    expect(stderr).toMatch(/secret is not Base64/);
    expect(stderr).not.toContain('hunter2');
    expect(exitCode).toBe(2);
  });
});
