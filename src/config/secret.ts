import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { printable } from '../output/printable.js';
import { whyUnreadable } from '../sign/unreadable.js';

export interface SecretSources {
  /** Text of `--secret`. */
  readonly secret?: string | undefined;
  /** Path of `--secret-file`. */
  readonly secretFile?: string | undefined;
  /** Value of EVFWD_SECRET; a flag beats it. */
  readonly environment?: string | undefined;
  /** The directory that a relative path starts from. */
  readonly cwd: string;
}

/**
 * The shared secret, or undefined when no source gives one.
 *
 * A file's one trailing line end (LF or CRLF) is dropped; all else of it is kept. It comes as a
 * Buffer when it is not UTF-8.
 *
 * @throws UsageError when it is empty, given by both flags, or its file cannot be read
 */
export async function readSecret(sources: SecretSources): Promise<string | Buffer | undefined> {
  const { secret, secretFile, environment, cwd } = sources;
  if (secret !== undefined && secretFile !== undefined) {
    throw new UsageError('--secret and --secret-file are both given; keep one of them');
  }
  if (secret !== undefined) return notEmpty(secret, '--secret');
  if (secretFile !== undefined) return readSecretFile(secretFile, cwd, '--secret-file');
  return environment === undefined ? undefined : notEmpty(environment, 'EVFWD_SECRET');
}

/**
 * What the file that `flag` names holds, without its one trailing line end.
 *
 * @throws UsageError when it is empty or cannot be read
 */
export async function readSecretFile(
  path: string,
  cwd: string,
  flag: string,
): Promise<string | Buffer> {
  const name = `${flag} ${printable(path)}`;
  const bytes = withoutLineEnd(await read(path, cwd, name));
  notEmpty(bytes, name);
  return isUtf8(bytes) ? bytes.toString('utf8') : bytes;
}

async function read(path: string, cwd: string, name: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (error) {
    const message = `${name} cannot be read: ${whyUnreadable(error)}; give the path of a readable file`;
    throw new UsageError(message, 'secret_not_readable', { cause: error });
  }
}

function withoutLineEnd(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== 0x0a) return bytes;
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1);
}

function notEmpty<T extends string | Buffer>(secret: T, name: string): T {
  if (secret.length > 0) return secret;
  throw new UsageError(`${name} is empty; give a secret there, or leave it out`, 'empty_secret');
}
