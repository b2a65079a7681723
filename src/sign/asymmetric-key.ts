import { UsageError } from '../errors.js';
import type { Scheme, Secret } from './schemes/scheme.js';

export const privatePrefix = 'whsk_';
export const publicPrefix = 'whpk_';

/** Also with what editors, shells and environment files put before a key. */
const markedForm = /^(?:\ufeff|\u00ef\u00bb\u00bf)?[\s"']*(?:(whpk_)|(whsk_)|-----BEGIN )/i;

/**
 * Why a secret can be no key of an HMAC; undefined for one that can. A public key is known to anyone, who
 * could sign with it: the text says what it is, so it is refused in every scheme.
 */
export function hmacKeyProblem(secret: Secret): string | undefined {
  const match = markedForm.exec(startOf(secret));
  if (!match) return undefined;
  const [, isPublic, isPrivate] = match;
  const next = 'use the shared secret, or a scheme of ed25519';
  if (isPublic !== undefined) return `a ${publicPrefix} key is a public key of ed25519; ${next}`;
  if (isPrivate !== undefined) return `a ${privatePrefix} key is a private key of ed25519; ${next}`;
  return 'the secret is a key in PEM; use the shared secret, or of an ed25519 key its bytes in Base64';
}

/**
 * @param where begins the message, e.g. `--secret-file`
 * @throws UsageError for the first secret that can be no key of an HMAC
 */
export function checkHmacKeys(secrets: readonly Secret[], where: string): void {
  secrets.forEach((secret, index) => {
    const problem = hmacKeyProblem(secret);
    if (problem === undefined) return;
    throw new UsageError(placeOf(where, index, secrets.length) + problem, 'bad_secret');
  });
}

/** Begins messages about one of several secrets: `--secret-file, number 2: `; nothing without `where`. */
export function placeOf(where: string, index: number, count: number): string {
  const place = count === 1 ? where : `${where || 'secret'}, number ${index + 1}`;
  return place === '' ? '' : `${place}: `;
}

/** Whether the prefix of a secret says that it is an ed25519 key. */
export function isMarkedKey(secret: Secret): boolean {
  const [, isPublic, isPrivate] = markedForm.exec(startOf(secret)) ?? [];
  return (isPublic ?? isPrivate) !== undefined;
}

/** The text of a marked key; other bytes as they are. */
export function keyText(secret: Secret): Secret {
  if (typeof secret === 'string' || !isMarkedKey(secret)) return secret;
  return Buffer.from(secret).toString('latin1');
}

export function hasAsymmetric({ versions }: Scheme): boolean {
  return versions.some(({ digest }) => digest === 'ed25519');
}

/** Whether a secret without a prefix has the form of an ed25519 key: 32 or 64 bytes, hex or Base64 of them. */
export function isKeyLike(secret: Secret): boolean {
  if (typeof secret !== 'string') return isKeyLength(secret.length);
  const text = secret.trim();
  if (text.startsWith('whsec_')) return false;
  if (/^[\da-f]+$/i.test(text) && isKeyLength(text.length / 2)) return true;
  return /^[\w+/-]+={0,2}$/.test(text) && isKeyLength(Buffer.from(text, 'base64').length);
}

function isKeyLength(bytes: number): boolean {
  return bytes === 32 || bytes === 64;
}

function startOf(secret: Secret): string {
  if (typeof secret === 'string') return secret;
  return Buffer.from(secret.buffer, secret.byteOffset, Math.min(secret.length, 64)).toString(
    'latin1',
  );
}
