import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { UsageError } from '../../errors.js';
import type { ClientCertificate } from '../../http/tls.js';
import { reasonOf } from '../../sources/input.js';

/** A file of `--ca`. @throws UsageError when it cannot be read, or has no certificate. */
export async function readAuthorities(path: string, flag = '--ca'): Promise<string> {
  const text = await readPem(flag, path);
  checkHasCertificate(flag, path, text);
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
export async function readClientCertificate(
  files: ClientCertificateFiles,
): Promise<ClientCertificate | undefined> {
  const { cert: certPath, key: keyPath } = files;
  if (certPath === undefined || keyPath === undefined) return undefined;
  const cert = await readPem('--cert', certPath);
  const certificate = certificateOf(certPath, cert);
  const key = await readPem('--key', keyPath);
  if (!certificate.checkPrivateKey(privateKeyOf(keyPath, key))) {
    throw new UsageError(
      `--key ${keyPath}: is not the key of the certificate in --cert ${certPath}; pass the key that belongs to it`,
    );
  }
  checkUsable({ cert, key }, certPath);
  return { cert, key };
}

async function readPem(flag: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${flag} ${path}: ${reasonOf(cause)}`, 'usage', { cause });
  });
}

function checkHasCertificate(flag: string, path: string, text: string): void {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return;
  throw new UsageError(`${flag} ${path}: has no PEM certificate (-----BEGIN CERTIFICATE-----)`);
}

function certificateOf(path: string, text: string): X509Certificate {
  checkHasCertificate('--cert', path, text);
  try {
    return new X509Certificate(text);
  } catch {
    throw new UsageError(`--cert ${path}: is not a valid certificate; export it as PEM again`);
  }
}

/** `RSA` or `EC` stands in the label of older forms. */
const keyLabel = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
const encryptedKey = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

function privateKeyOf(path: string, text: string): KeyObject {
  if (encryptedKey.test(text)) {
    throw new UsageError(
      `--key ${path}: is encrypted; decrypt it into a file that only you can read: openssl pkey -in … -out …`,
    );
  }
  if (!keyLabel.test(text)) {
    throw new UsageError(`--key ${path}: has no PEM private key (-----BEGIN PRIVATE KEY-----)`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new UsageError(`--key ${path}: is not a valid private key; export it as PEM again`);
  }
}

/** OpenSSL refuses some pairs that fit, such as keys that are too short. */
function checkUsable(pair: ClientCertificate, certPath: string): void {
  try {
    createSecureContext({ cert: pair.cert, key: pair.key });
  } catch (cause) {
    const { reason = 'unusable' } = cause as { reason?: string };
    throw new UsageError(
      `--cert ${certPath}: OpenSSL does not accept this certificate (${reason}); use another one`,
      'usage',
      { cause },
    );
  }
}
