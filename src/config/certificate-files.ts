import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { UsageError } from '../errors.js';
import type { ClientCertificate } from '../http/tls.js';
import { reasonOf } from '../sources/input.js';

/** A file of `--ca`. @throws UsageError when it cannot be read, or has no certificate. */
export async function readAuthorities(path: string, flag = '--ca'): Promise<string> {
  const text = await readPem(flag, path);
  checkHasCertificate({ label: `${flag} ${path}`, text });
  return text;
}

/** The values of `--cert` and `--key`. */
export interface ClientCertificateFiles {
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/**
 * Reads both files and checks that they fit each other, so that nothing is sent with a pair that a server
 * could only refuse.
 *
 * @returns undefined without them
 * @throws UsageError, never with a part of a file, when one is unreadable or does not fit
 */
export async function readClientCertificate({
  cert,
  key,
}: ClientCertificateFiles): Promise<ClientCertificate | undefined> {
  if (cert === undefined || key === undefined) return undefined;
  return checkedPair(
    { label: `--cert ${cert}`, text: await readPem('--cert', cert) },
    { label: `--key ${key}`, text: await readPem('--key', key) },
  );
}

/** The text of a file, and where it is named: `--cert client.pem`. */
export interface PemText {
  readonly label: string;
  readonly text: string;
}

/**
 * A certificate and its key, which is decrypted.
 *
 * @param passphrase of an encrypted key
 * @throws UsageError, never with a part of a text, when one cannot be used or they do not fit each other
 */
export function checkedPair(
  cert: PemText,
  key: PemText,
  passphrase?: Passphrase,
): ClientCertificate {
  const certificate = certificateOf(cert);
  const privateKey = privateKeyOf(key, passphrase);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new UsageError(
      `${key.label}: is not the key of the certificate in ${cert.label}; pass the key that belongs to it`,
    );
  }
  const text = isEncrypted(key) ? privateKey.export({ type: 'pkcs8', format: 'pem' }) : key.text;
  const pair = { cert: cert.text, key: String(text) };
  checkUsable(pair, cert);
  return pair;
}

/** Of a key, and where it is set, for messages. */
export interface Passphrase {
  readonly label: string;
  readonly text: string | undefined;
}

async function readPem(flag: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${flag} ${path}: ${reasonOf(cause)}`, 'usage', { cause });
  });
}

/** @throws UsageError for a text without a certificate */
export function checkHasCertificate({ label, text }: PemText): void {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return;
  throw new UsageError(`${label}: has no PEM certificate (-----BEGIN CERTIFICATE-----)`);
}

function certificateOf(pem: PemText): X509Certificate {
  checkHasCertificate(pem);
  try {
    return new X509Certificate(pem.text);
  } catch {
    throw new UsageError(`${pem.label}: is not a valid certificate; export it as PEM again`);
  }
}

/** `RSA` or `EC` stands in the label of older forms. */
const keyLabel = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
const encryptedKey = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** Whether a private key needs a passphrase. */
export function isEncrypted({ text }: PemText): boolean {
  return encryptedKey.test(text);
}

function privateKeyOf(pem: PemText, passphrase: Passphrase | undefined): KeyObject {
  const { label, text } = pem;
  if (isEncrypted(pem)) return decryptedKey(pem, passphrase);
  if (!keyLabel.test(text)) {
    throw new UsageError(`${label}: has no PEM private key (-----BEGIN PRIVATE KEY-----)`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new UsageError(`${label}: is not a valid private key; export it as PEM again`);
  }
}

function decryptedKey({ label, text }: PemText, passphrase: Passphrase | undefined): KeyObject {
  if (passphrase?.text === undefined) {
    const decrypt = 'decrypt it into a file that only you can read: openssl pkey -in … -out …';
    const set = passphrase ? `set ${passphrase.label}, or ${decrypt}` : decrypt;
    throw new UsageError(`${label}: is encrypted; ${set}`);
  }
  try {
    return createPrivateKey({ key: text, passphrase: passphrase.text });
  } catch {
    throw new UsageError(
      `${label}: cannot be decrypted; check ${passphrase.label}, or export the key as PEM again`,
    );
  }
}

/** OpenSSL refuses some pairs that fit, such as keys that are too short. */
function checkUsable(pair: ClientCertificate, { label }: PemText): void {
  try {
    createSecureContext({ cert: pair.cert, key: pair.key });
  } catch (cause) {
    const { reason = 'unusable' } = cause as { reason?: string };
    throw new UsageError(
      `${label}: OpenSSL does not accept this certificate (${reason}); use another one`,
      'usage',
      { cause },
    );
  }
}
