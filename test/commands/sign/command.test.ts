import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as command from '../../../src/commands/sign/command.js';
import { sign } from '../../../src/sign/x-signature.js';
import { runCommand, type RunOptions } from '../../helpers/run-command.js';

const cwd = mkdtempSync(join(tmpdir(), 'evfwd-sign-'));
const env = { EVFWD_SECRET: 'topsecret' };
writeFileSync(join(cwd, 'body.json'), '{"a":1}\n');
writeFileSync(join(cwd, 'secret.txt'), 'file secret\n');

function run(args: string[], options: Omit<RunOptions, 'cwd'> = {}) {
  return runCommand(command, args, { cwd, ...options });
}

describe('sign', () => {
  const signature = sign('{"a":1}\n', 'topsecret');

  it('prints the signature of a file, and nothing else', async () => {
    const result = await run(['body.json'], { env });
    expect(result).toEqual({ exitCode: 0, stdout: `${signature}\n`, stderr: '' });
  });

  it.each([[[]], [['-']]])('reads standard input with arguments %j', async (args) => {
    const { stdout } = await run(args, { env, stdin: '{"a":1}\n' });
    expect(stdout).toBe(`${signature}\n`);
  });

  it('signs raw bytes, bad UTF-8 and all, of any size', async () => {
    const body = Buffer.alloc(3_000_000, Buffer.from([0xff, 0x00, 0x0d, 0x0a]));
    const { stdout } = await run(['-'], { env, stdin: body });
    expect(stdout).toBe(`${sign(body, 'topsecret')}\n`);
  });

  it('refuses an empty body, which a program before the pipe may have left', async () => {
    const { exitCode, stdout, stderr } = await run(['-'], { env, stdin: '' });
    expect(stderr).toMatch(/standard input is empty; use --empty to sign an empty body/);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  it('signs an empty body with --empty', async () => {
    const { exitCode, stdout } = await run(['-', '--empty'], { env, stdin: '' });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${sign('', 'topsecret')}\n` });
  });

  it('prints JSON with --json', async () => {
    const { stdout } = await run(['body.json', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual({ signature });
  });

  it('prefers the secret of a file to that of the environment', async () => {
    const { stdout } = await run(['body.json', '--secret-file', 'secret.txt'], { env });
    expect(stdout).toBe(`${sign('{"a":1}\n', 'file secret')}\n`);
  });

  it('warns once that --secret can be seen, and names the other ways', async () => {
    const { stdout, stderr } = await run(['body.json', '--secret', 'topsecret']);
    expect(stdout).toBe(`${signature}\n`);
    expect(stderr).toMatch(/^warning: .*--secret-file or EVFWD_SECRET\n$/);
    expect(stderr).not.toContain('topsecret');
    expect((await run(['body.json', '--secret', 'topsecret', '-q'])).stderr).toBe('');
  });

  it('says with --verbose what it signed, without the secret', async () => {
    const { stderr } = await run(['body.json', '-v'], { env });
    expect(stderr).toBe('signed body.json, secret from EVFWD_SECRET\n');
  });
});

describe('sign exits 2', () => {
  it.each([
    [
      'without a secret',
      ['body.json'],
      {},
      /^no secret; use --secret-file, --secret or EVFWD_SECRET$/m,
    ],
    ['with an empty one', ['body.json', '--secret', ''], {}, /--secret is empty/],
    ['with an empty EVFWD_SECRET', ['body.json'], { EVFWD_SECRET: '' }, /EVFWD_SECRET is empty/],
    ['with both flags', ['-', '--secret', 'a', '--secret-file', 'b'], {}, /both set/],
    ['without a body on a terminal', [], env, /no body: pass a file, or -/],
    ['for no such file', ['none.json'], env, /none\.json cannot be read: no such file/],
    ['for a directory', ['.'], env, /cannot be read: it is a directory/],
  ])('%s', async (_, args, environment, message) => {
    const { exitCode, stdout, stderr } = await run(args, { env: environment });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });
});
