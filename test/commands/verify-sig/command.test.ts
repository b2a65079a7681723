import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as command from '../../../src/commands/verify-sig/command.js';
import { sign } from '../../../src/sign/x-signature.js';
import { runCommand, type RunOptions } from '../../helpers/run-command.js';

const cwd = mkdtempSync(join(tmpdir(), 'evfwd-verify-'));
const secret = 'topsecret';
const env = { EVFWD_SECRET: secret };
const body = '{"a":1}';
const good = sign(body, secret);
const bad = sign('other', secret);
writeFileSync(join(cwd, 'body.json'), body);

function run(args: string[], options: Omit<RunOptions, 'cwd'> = {}) {
  return runCommand(command, args, { cwd, env, ...options });
}

describe('verify-sig with one body', () => {
  it.each([
    ['a file', ['body.json', '--signature', good], undefined],
    ['standard input named -', ['-', '--signature', good], body],
    ['standard input', ['--signature', good], body],
    ['a header', ['body.json', '--header', `X-Signature: ${good}`], undefined],
    ['a header in any case', ['body.json', '--header', `x-SIGNATURE:${good} `], undefined],
    ['an explanation asked for', ['body.json', '--explain', '--signature', good], undefined],
  ])('finds a signature valid: %s', async (_, args, stdin) => {
    const result = await run(args, stdin === undefined ? {} : { stdin });
    expect(result).toEqual({ exitCode: 0, stdout: 'valid\n', stderr: '' });
  });

  it('checks raw bytes, bad UTF-8 and all', async () => {
    const bytes = Buffer.alloc(2_500_000, Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x0d, 0x0a]));
    const { exitCode } = await run(['--signature', sign(bytes, secret)], { stdin: bytes });
    expect(exitCode).toBe(0);
  });

  it.each([
    ['mismatch', bad],
    ['empty', ''],
    ['uppercase', good.toUpperCase()],
    ['prefix', `sha1=${good}`],
    ['space', `${good} `],
    ['length', good.slice(2)],
    ['not_hex', 'z'.repeat(40)],
  ])('exits 1 with the reason %s', async (reason, signature) => {
    const { exitCode, stdout } = await run(['body.json', '--json', '--signature', signature]);
    expect(JSON.parse(stdout)).toEqual({ valid: false, reason, hint: expect.any(String) });
    expect(exitCode).toBe(1);
    const human = await run(['body.json', '--signature', signature]);
    expect(human.stdout).toMatch(/^not valid: .+\n$/);
    expect(human.stdout + human.stderr).not.toContain(good.slice(0, 20));
  });

  it('calls an empty header value empty', async () => {
    const { exitCode, stdout } = await run(['body.json', '--json', '--header', 'X-Signature:']);
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, reason: 'empty' });
    expect(exitCode).toBe(1);
  });

  it('prints one JSON object for a valid one', async () => {
    const { stdout } = await run(['body.json', '--json', '--signature', good]);
    expect(stdout).toBe('{"valid":true}\n');
  });

  it('explains, and shows neither secret nor signature', async () => {
    const signature = sign(`${body}\n`, secret);
    const { stdout } = await run(['body.json', '--explain', '--signature', signature]);
    expect(stdout).toMatch(
      /^not valid: the signature fits when the body has an extra trailing newline/,
    );
    expect(stdout).not.toContain(good);
    expect(stdout).not.toContain(secret);
  });

  it('keeps the fault of the form when nothing explains it', async () => {
    const signature = bad.toUpperCase();
    const { stdout } = await run(['body.json', '--explain', '--signature', signature]);
    expect(stdout).toMatch(/uppercase letters.*; none of the common mistakes fits/);
  });

  it('has colors only when they are enabled', async () => {
    const args = ['body.json', '--signature', good];
    const forced = { env: { ...env, FORCE_COLOR: '1' } };
    expect((await run(args, forced)).stdout).toContain('\u001b[32mvalid');
    expect((await run([...args, '--no-color'], forced)).stdout).toBe('valid\n');
    expect((await run(args, { env: { ...env, NO_COLOR: '1' } })).stdout).toBe('valid\n');
  });

  it('says with --verbose what it checked', async () => {
    const { stderr } = await run(['body.json', '-v', '--signature', good]);
    expect(stderr).toBe('body.json: 7 bytes, secret from EVFWD_SECRET\n');
  });
});

describe('verify-sig exits 2', () => {
  const leaked = 'leaked-credential';
  it.each([
    ['without a signature', ['body.json'], /no signature: use --signature/],
    [
      'with two',
      ['body.json', '--signature', good, '--header', 'X-Signature: a'],
      /cannot be combined without --scheme/,
    ],
    ['for a header without a name', ['body.json', '--header', `: ${leaked}`], /has no name/],
    ['for a header without a colon', ['body.json', '--header', leaked], /no colon/],
    ['for no such file', ['none.json', '--signature', good], /none\.json cannot be read/],
    ['without a body on a terminal', ['--signature', good], /no body/],
    ['for a body beside --requests', ['body.json', '--requests', 'x'], /leave out a body/],
    ['for a signature beside --requests', ['--requests', 'x', '--signature', 'a'], /--signature/],
    ['for a header beside --requests', ['--requests', 'x', '--header', 'a'], /--header/],
    ['for no such capture', ['--requests', 'none.ndjson'], /none\.ndjson cannot be read/],
  ])('%s', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(leaked);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it('without a secret', async () => {
    const { exitCode, stderr } = await run(['body.json', '--signature', good], { env: {} });
    expect(stderr).toBe('no secret; use --secret-file, --secret or EVFWD_SECRET\n');
    expect(exitCode).toBe(2);
  });
});

function line(id: string, headers: object, rest: object = { body }): string {
  return JSON.stringify({
    type: 'request',
    id,
    method: 'POST',
    path: '/hook?key=q',
    headers,
    ...rest,
  });
}

const goodLine = line('r1', { 'content-type': 'application/json', 'X-Signature': good });
const badLine = line('r2', { 'x-signature': bad });

function check(lines: string[], ...flags: string[]) {
  return run(['--requests', '-', ...flags], { stdin: lines.join('\n') });
}

describe('verify-sig --requests', () => {
  it('exits 0 when every request is valid', async () => {
    const binary = Buffer.from([0xff, 0x00]);
    const base64 = { bodyBase64: binary.toString('base64') };
    const { exitCode, stdout, stderr } = await check([
      `\ufeff${goodLine}\r`,
      '',
      '{"type":"ready","url":"http://127.0.0.1:4400"}',
      line('r3', { 'X-SIGNATURE': [sign(binary, secret)] }, base64),
      line('r4', { 'x-signature': sign('', secret) }, { body: '' }),
      '{"type":"summary"}',
    ]);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: '3 read: 3 valid, 0 not valid\n',
      stderr: '',
    });
  });

  it('prints a line for each bad one, and goes on', async () => {
    const { exitCode, stdout } = await check([badLine, goodLine, '', line('r4', {}), goodLine]);
    const [first, second, last] = stdout.split('\n');
    expect(first).toMatch(/^line 1: r2 POST \/hook mismatch: the signature does not match/);
    expect(second).toMatch(
      /^line 4: r4 POST \/hook missing: the request has no header with a signature/,
    );
    expect(last).toBe('4 read: 2 valid, 2 not valid');
    expect(stdout).not.toContain('key=q');
    expect(exitCode).toBe(1);
  });

  it('prints JSON lines with --json', async () => {
    const { stdout } = await check([goodLine, badLine], '--json');
    const [problem, summary] = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(problem).toEqual({
      type: 'problem',
      line: 2,
      id: 'r2',
      method: 'POST',
      path: '/hook',
      scheme: 'x-signature',
      valid: false,
      reason: 'mismatch',
      hint: expect.any(String),
    });
    expect(summary).toEqual({ type: 'summary', read: 2, valid: 1, invalid: 1 });
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another type', '{"type":"track"}'],
    ['no headers', '{"type":"request","body":""}'],
    ['no body', line('r', {}, {})],
    ['two bodies', line('r', {}, { body, bodyBase64: '' })],
    ['a body that is not base64', line('r', {}, { bodyBase64: '%%%%' })],
  ])('reads all lines and exits 2 for one that is no request: %s', async (_, text) => {
    const { exitCode, stdout } = await check([text, goodLine]);
    expect(stdout).toMatch(/^line 1: not_a_request: not a captured request: .+\n2 read: 1 valid/);
    expect(stdout).toMatch(/1 could not be checked\n$/);
    expect(exitCode).toBe(2);
    expect((await check([text, badLine])).exitCode).toBe(1);
  });

  it('counts in JSON what could not be checked', async () => {
    const { stdout } = await check(['{', goodLine], '--json');
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
    expect(last).toEqual({ type: 'summary', read: 2, valid: 1, invalid: 0, unreadable: 1 });
  });

  it('treats a duplicated header as a missing signature', async () => {
    const twice = line('r1', { 'x-signature': good, 'X-Signature': good });
    const { exitCode, stdout } = await check([twice, line('r2', { 'x-signature': [good, bad] })]);
    expect(stdout.match(/ repeated: /g)).toHaveLength(2);
    expect(exitCode).toBe(1);
  });

  it('explains each bad one with --explain', async () => {
    const lineEnd = line('r1', { 'x-signature': sign(`${body}\n`, secret) });
    const { stdout } = await check([lineEnd, line('r2', {})], '--explain');
    expect(stdout).toMatch(/^line 1: .*an extra trailing newline \(LF\)/);
    expect(stdout).toMatch(/^line 2: .* missing: /m);
  });

  it('escapes control characters of the capture', async () => {
    const { stdout } = await check([line('\u001b[2J\n\u202e', {})]);
    expect(stdout).toContain('\\u001b[2J\\n\\u202e');
    expect(stdout).not.toContain('\u001b');
  });

  it.each([
    ['nothing', []],
    ['no request', ['', '{"type":"summary"}']],
  ])('exits 2 when the capture holds %s, for nothing was checked', async (_, lines) => {
    const { exitCode, stderr } = await check(lines);
    expect(stderr).toMatch(/has no requests/);
    expect(exitCode).toBe(2);
  });

  it('names the way out for a gzip file', async () => {
    const stdin = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);
    const { exitCode, stderr } = await run(['--requests', '-'], { stdin });
    expect(stderr).toMatch(/gzip -dc/);
    expect(exitCode).toBe(2);
  });

  it('reads a file of many chunks, lines across them', async () => {
    const lines = Array.from({ length: 9000 }, (_, i) => (i === 4999 ? badLine : goodLine));
    writeFileSync(join(cwd, 'many.ndjson'), `${lines.join('\n')}\n`);
    const { exitCode, stdout } = await run(['--requests', 'many.ndjson']);
    expect(stdout).toMatch(/^line 5000: r2 .*\n9000 read: 8999 valid, 1 not valid\n$/);
    expect(exitCode).toBe(1);
  });
});
