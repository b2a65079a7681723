import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { printable } from '../output/printable.js';
import { whyUnreadable } from '../sign/unreadable.js';

export interface SecretSources {
  /** Texts of `--secret`, newest first. */
  readonly secret?: readonly string[] | undefined;
  /** Paths of `--secret-file`, newest first. */
  readonly secretFile?: readonly string[] | undefined;
  /** Value of EVFWD_SECRET; overridden by a flag. */
  readonly environment?: string | undefined;
  /** The base of relative paths. */
  readonly cwd: string;
}

/**
 * The shared secrets, newest first; none if no source is set.
 *
 * One trailing newline (LF or CRLF) of a file is dropped; everything else is kept. A secret is a
 * Buffer if it is not UTF-8.
 *
 * @throws UsageError when one is empty or only white space, both flags are set, or a file cannot be read
 */
export function readSecrets(sources: SecretSources): (string | Buffer)[] {
  const { secret = [], secretFile = [], environment, cwd } = sources;
  if (secret.length > 0 && secretFile.length > 0) {
    throw new UsageError(
      '--secret and --secret-file are both set; use one of them (it can be repeated for a rotation)',
    );
  }
  if (secret.length > 0) return secret.map((text) => notEmpty(text, '--secret'));
  if (secretFile.length > 0) {
    return secretFile.map((path) => readSecretFile(path, cwd, '--secret-file'));
  }
  return environment === undefined ? [] : [notEmpty(environment, 'EVFWD_SECRET')];
}

/**
 * The content of the file of `flag`, without one trailing newline.
 *
 * @throws UsageError when it is empty, only white space, or cannot be read
 */
export function readSecretFile(path: string, cwd: string, flag: string): string | Buffer {
  const name = `${flag} ${printable(path)}`;
  const bytes = withoutNewline(read(path, cwd, name));
  notEmpty(bytes, name, 'make one with: openssl rand -hex 32');
  return isUtf8(bytes) ? bytes.toString('utf8') : bytes;
}

function read(path: string, cwd: string, name: string): Buffer {
  try {
    return readFileSync(resolve(cwd, path));
  } catch (error) {
    const message = `${name} cannot be read: ${whyUnreadable(error)}; use the path of a readable file`;
    throw new UsageError(message, 'secret_not_readable', { cause: error });
  }
}

function withoutNewline(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== 0x0a) return bytes;
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1);
}

function notEmpty<T extends string | Buffer>(
  secret: T,
  name: string,
  advice = 'set a secret, or leave it out',
): T {
  if (secret.toString().trim() !== '') return secret;
  const problem = secret.length === 0 ? 'is empty' : 'has only white space';
  throw new UsageError(`${name} ${problem}; ${advice}`, 'empty_secret');
}
