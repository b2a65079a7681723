import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  sign,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import { UsageError } from '../errors.js';
import {
  hmacKeyProblem,
  isMarkedKey,
  keyText,
  placeOf,
  privatePrefix,
  publicPrefix,
} from './asymmetric-key.js';
import { preparedHmac, type Hmac, type Pieces } from './hmac.js';
import type { Digest, Scheme, Secret, SignatureVersion } from './schemes/scheme.js';

/** A secret as a scheme uses it: one version, and its key. */
export interface SchemeKey {
  readonly version: SignatureVersion;
  /** Of an ed25519 version: private to sign, public to verify. */
  readonly key: KeyObject;
  /** Absent for an ed25519 version. */
  readonly hmac?: Hmac;
  /** What a user should know of a secret that works, without the secret. */
  readonly warning?: string;
}

export type KeyUse = 'sign' | 'verify';

/**
 * Reads a secret in the way of a scheme.
 *
 * @param where begins messages: `--secret-file: `, or nothing
 * @throws UsageError, without the secret, if it is not in the form of the scheme
 */
export function schemeKey(scheme: Scheme, secret: Secret, use: KeyUse, where: string): SchemeKey {
  if (secret.length === 0) {
    throw new UsageError(`${where}the secret is empty; set the shared secret`, 'empty_secret');
  }
  const version = versionFor(scheme, secret);
  const refuse: Refuse = (problem) => {
    throw new UsageError(`${where}${problem}`, 'bad_secret');
  };
  if (version.digest === 'ed25519') {
    return { version, key: ed25519Key(scheme, version, secret, use, refuse) };
  }
  const bytes = hmacKey(scheme, version, secret, refuse);
  const warning = shortWarning(scheme, version, bytes);
  const key = createSecretKey(bytes);
  const hmac = preparedHmac(version.digest, key);
  return { version, key, hmac, ...(warning !== undefined && { warning }) };
}

/**
 * The same for each of several secrets.
 *
 * @param where begins messages, with the number of the secret if there are several; may be empty
 * @throws as `schemeKey`
 */
export function schemeKeys(
  scheme: Scheme,
  secrets: readonly Secret[],
  use: KeyUse,
  where: string,
): SchemeKey[] {
  return secrets.map((secret, index) =>
    schemeKey(scheme, secret, use, placeOf(where, index, secrets.length)),
  );
}

type Refuse = (problem: string) => never;

/** The prefix of an ed25519 key chooses its version; any other secret belongs to the first. */
export function versionFor({ versions }: Scheme, secret: Secret): SignatureVersion {
  const asymmetric = versions.find(({ digest }) => digest === 'ed25519');
  return asymmetric && isMarkedKey(secret) ? asymmetric : versions[0]!;
}

/** Looked for behind the prefix of the scheme, too: `whsec_whpk_…`. */
function hmacKey(
  scheme: Scheme,
  version: SignatureVersion,
  secret: Secret,
  refuse: Refuse,
): Uint8Array {
  const { prefix = '' } = version.secret;
  const isBehind = typeof secret === 'string' && secret.startsWith(prefix);
  const problem = hmacKeyProblem(isBehind ? secret.slice(prefix.length) : secret);
  if (problem !== undefined) refuse(problem);
  return keyBytes(scheme, version, secret, refuse);
}

function keyBytes(
  scheme: Scheme,
  { secret: form }: SignatureVersion,
  secret: Secret,
  refuse: Refuse,
): Uint8Array {
  if (typeof secret !== 'string') return secret;
  const { prefix = '', encoding } = form;
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  if (text === '') refuse(`the secret has nothing after ${prefix}; set the whole secret`);
  if (encoding === 'utf8') return Buffer.from(text);
  const like = prefix === '' ? '' : `, usually after ${prefix}`;
  return (
    decodeBase64(text) ??
    refuse(`the secret is not Base64; ${scheme.name} needs the key in Base64${like}`)
  );
}

/** Lenient, as the libraries of receivers are: padding may be missing, and `-_` stand for `+/`. */
function decodeBase64(text: string): Buffer | undefined {
  const bare = text.replace(/={0,2}$/, '');
  if (!/^[A-Za-z0-9+/_-]+$/.test(bare) || bare.length % 4 === 1) return undefined;
  return Buffer.from(bare, 'base64');
}

function shortWarning(
  { name }: Scheme,
  { secret: { advisedBytes } }: SignatureVersion,
  { length }: Uint8Array,
): string | undefined {
  if (advisedBytes === undefined || length >= advisedBytes) return undefined;
  return `the key of ${name} has ${length} ${length === 1 ? 'byte' : 'bytes'}; use at least ${advisedBytes}, since receivers may refuse it`;
}

/** What precedes the 32 bytes of a key in PKCS8 and in SPKI. */
const prefixes = { pkcs8: '302e020100300506032b657004220420', spki: '302a300506032b6570032100' };
const pkcs8 = Buffer.from(prefixes.pkcs8, 'hex');
const spki = Buffer.from(prefixes.spki, 'hex');

function ed25519Key(
  scheme: Scheme,
  version: SignatureVersion,
  secret: Secret,
  use: KeyUse,
  refuse: Refuse,
): KeyObject {
  const text = keyText(secret);
  const isPublic = typeof text === 'string' && text.startsWith(publicPrefix);
  const isMarked = isPublic || (typeof text === 'string' && text.startsWith(privatePrefix));
  if (!isMarked && isMarkedKey(text)) {
    refuse(`the key has something before its prefix, or the prefix in uppercase; remove that`);
  }
  if (isPublic && use === 'sign') {
    refuse(`a public key (${publicPrefix}) cannot sign; use the private key (${privatePrefix})`);
  }
  const bare = isMarked ? text.slice(privatePrefix.length) : text;
  const bytes = Buffer.from(keyBytes(scheme, version, bare, refuse));
  if (isPublic) {
    if (bytes.length !== 32) refuse(`a public ed25519 key has 32 bytes, this one ${bytes.length}`);
    return createPublicKey({ key: Buffer.concat([spki, bytes]), format: 'der', type: 'spki' });
  }
  // Both forms are in use: the seed alone, and the seed followed by the public key.
  if (bytes.length !== 32 && bytes.length !== 64) {
    refuse(`a private ed25519 key has 32 or 64 bytes, this one ${bytes.length}`);
  }
  const der = Buffer.concat([pkcs8, bytes.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return use === 'sign' ? key : createPublicKey(key);
}

const digestBytes: Readonly<Record<Digest, number>> = {
  sha1: 20,
  sha256: 32,
  sha512: 64,
  ed25519: 64,
};

/** Of the signatures of a version, in bytes. */
export function signatureBytes({ digest }: SignatureVersion): number {
  return digestBytes[digest];
}

/** The signature of a text, in the encoding of its version. */
export function signPieces({ version, key, hmac }: SchemeKey, pieces: Pieces): string {
  if (hmac) return hmac(pieces, version.encoding);
  return sign(null, joined(pieces), key).toString(version.encoding);
}

/** A check of signatures of one text, by one key; an HMAC is calculated once, and compared in constant time. */
export function signatureCheck(key: SchemeKey, pieces: Pieces): (signature: Uint8Array) => boolean {
  if (!key.hmac) {
    const text = joined(pieces);
    return (signature) => verify(null, text, key.key, signature);
  }
  return comparisonWith(signPieces(key, pieces), key.version);
}

function comparisonWith(
  text: string,
  { encoding }: SignatureVersion,
): (signature: Uint8Array) => boolean {
  const expected = Buffer.from(text, encoding);
  return (signature) =>
    signature.length === expected.length && timingSafeEqual(expected, signature);
}

/**
 * As `signPieces` by each of several keys, for a text that need not fit in memory: the body of a scheme that
 * `signsBodyAlone`.
 */
export async function signChunks(
  keys: readonly SchemeKey[],
  chunks: AsyncIterable<Uint8Array>,
): Promise<string[]> {
  const hmacs = keys.map(({ version, key }) => createHmac(version.digest, key));
  for await (const chunk of chunks) {
    for (const hmac of hmacs) hmac.update(chunk);
  }
  return hmacs.map((hmac, i) => hmac.digest(keys[i]!.version.encoding));
}

/** As `signatureCheck`, for the text of `signChunks`. */
export async function chunksCheck(
  keys: readonly SchemeKey[],
  chunks: AsyncIterable<Uint8Array>,
): Promise<(key: SchemeKey) => (signature: Uint8Array) => boolean> {
  const signatures = await signChunks(keys, chunks);
  const checks = new Map(
    keys.map((key, i) => [key, comparisonWith(signatures[i]!, key.version)] as const),
  );
  return (key) => checks.get(key)!;
}

/** Whether a scheme signs the body alone, and by an HMAC. */
export function signsBodyAlone({ content, versions }: Scheme): boolean {
  return content === '{body}' && versions.every(({ digest }) => digest !== 'ed25519');
}

function joined(pieces: Pieces): Buffer {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as Uint8Array)));
}
