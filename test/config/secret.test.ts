import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSecrets } from '../../src/config/secret.js';

const cwd = mkdtempSync(join(tmpdir(), 'evfwd-secret-'));

function fromFile(content: string | Buffer) {
  writeFileSync(join(cwd, 'secret.txt'), content);
  const [secret] = readSecrets({ cwd, secretFile: ['secret.txt'] });
  return secret;
}

describe('the source of the secret', () => {
  it.each([
    ['nowhere', {}, []],
    ['the flag', { secret: ['a'] }, ['a']],
    ['the flag twice, in the order typed', { secret: ['new', 'old'] }, ['new', 'old']],
    ['the environment', { environment: 'b' }, ['b']],
    ['the flag before the environment', { secret: ['a'], environment: 'b' }, ['a']],
    ['the flag before an empty environment', { secret: ['a'], environment: '' }, ['a']],
  ])('%s', (_, sources, secrets) => {
    expect(readSecrets({ cwd, ...sources })).toEqual(secrets);
  });

  it('the file before the environment', () => {
    writeFileSync(join(cwd, 'own.txt'), 'own\n');
    const own = join(cwd, 'own.txt');
    expect(readSecrets({ cwd, secretFile: ['own.txt'], environment: 'b' })).toEqual(['own']);
    expect(readSecrets({ cwd: '/', secretFile: [own, own] })).toEqual(['own', 'own']);
  });
});

describe('a secret file', () => {
  it.each([
    ['without a line end', 'key', 'key'],
    ['with LF', 'key\n', 'key'],
    ['with CRLF', 'key\r\n', 'key'],
    ['with two line ends', 'key\n\n', 'key\n'],
    ['with a CR alone', 'key\r', 'key\r'],
    ['with space', ' key ', ' key '],
    ['with a byte order mark', '\ufeffkey', '\ufeffkey'],
    ['with other scripts', 'ключ\n', 'ключ'],
  ])('%s', (_, content, secret) => {
    expect(fromFile(content)).toBe(secret);
  });

  it('keeps the bytes that are not UTF-8', () => {
    expect(fromFile(Buffer.from([0xff, 0x00, 0x0a]))).toEqual(Buffer.from([0xff, 0x00]));
  });
});

describe('a usage error', () => {
  it.each([
    ['both flags', { secret: ['a'], secretFile: ['b'] }, /--secret and --secret-file/],
    ['an empty flag', { secret: [''] }, /--secret is empty/],
    ['an empty environment', { environment: '' }, /EVFWD_SECRET is empty/],
    ['a blank flag', { secret: ['  '] }, /--secret has only white space; set a secret/],
    ['a blank environment', { environment: ' \t' }, /EVFWD_SECRET has only white space/],
    ['an empty second one', { secret: ['a', ''] }, /--secret is empty/],
    ['no such file', { secretFile: ['none.txt'] }, /--secret-file none\.txt .*no such file/],
    ['a directory', { secretFile: ['.'] }, /--secret-file \. .*directory/],
    ['control characters in a path', { secretFile: ['a\u001b[2J'] }, /a\\u001b\[2J/],
    ['a NUL in a path', { secretFile: ['a\0'] }, /cannot be read/],
  ])('%s', (_, sources, message) => {
    const reading = () => readSecrets({ cwd, ...sources });
    expect(reading).toThrow(message);
    expect(reading).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  it.each(['', '\n', '\r\n'])('a file that holds %j', (content) => {
    expect(() => fromFile(content)).toThrow(/--secret-file secret\.txt is empty/);
  });

  it.each(['  ', ' \n', '\n\n'])('a file that holds only white space: %j', (content) => {
    expect(() => fromFile(content)).toThrow(
      /--secret-file secret\.txt has only white space; make one with: openssl rand/,
    );
  });
});
