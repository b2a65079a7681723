import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasTool } from './tools.js';
import { execFileSync } from './run-sync.js';

export interface Certificate {
  /** PEM texts. */
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** PEM text of a certificate authority that is not trusted by default. */
  readonly ca: string;
  /** Signed by it, for `localhost`. */
  readonly good: Certificate;
  readonly selfSigned: Certificate;
  /** Signed by it, and expired since yesterday. */
  readonly expired: Certificate;
  /** Signed by it, for `elsewhere.example`. */
  readonly wrongHost: Certificate;
}

/** Tests of TLS are skipped without it. */
export const hasOpenssl = hasTool('openssl');

/** The key in a form that needs a passphrase, PEM. */
export function encryptedKey(key: string): string {
  const args = ['pkcs8', '-topk8', '-v2', 'aes-256-cbc', '-passout', 'pass:word'];
  return execFileSync('openssl', args, { input: key, encoding: 'utf8' });
}

/** Makes certificates with openssl, in a temporary folder. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'evfwd-certificates-'));
  try {
    const authority = selfSigned(folder, 'ca', 'DNS:authority.example');
    return {
      ca: authority.cert,
      good: signed(folder, 'good', 'DNS:localhost,IP:127.0.0.1', 2),
      selfSigned: selfSigned(folder, 'self', 'DNS:localhost,IP:127.0.0.1'),
      expired: signed(folder, 'expired', 'DNS:localhost,IP:127.0.0.1', -1),
      wrongHost: signed(folder, 'wrong', 'DNS:elsewhere.example', 2),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface CertificateChains {
  /** PEM text of the root, which is not trusted by default. */
  readonly ca: string;
  /** For `localhost`, signed by an intermediate that comes with it; valid for 90 days. */
  readonly whole: Certificate;
  /** The same without the intermediate. */
  readonly incomplete: Certificate;
  /** As `whole`, and expired since yesterday. */
  readonly expired: Certificate;
  /** As `whole`, and both for `elsewhere.example` and expired. */
  readonly wrong: Certificate;
}

/** Makes certificates that an intermediate authority has signed. */
export function makeCertificateChains(): CertificateChains {
  const folder = mkdtempSync(join(tmpdir(), 'evfwd-chains-'));
  try {
    const root = selfSigned(folder, 'ca', 'DNS:authority.example');
    const between = signed(folder, 'between', 'DNS:between.example', 90, { isAuthority: true });
    const made = (name: string, host: string, days: number): Certificate =>
      signed(folder, name, `DNS:${host}`, days, { issuer: 'between' });
    const withIssuer = ({ cert, key }: Certificate): Certificate => ({
      cert: cert + between.cert,
      key,
    });
    const incomplete = made('incomplete', 'localhost', 90);
    return {
      ca: root.cert,
      whole: withIssuer(incomplete),
      incomplete,
      expired: withIssuer(made('expired', 'localhost', -1)),
      wrong: withIssuer(made('wrong', 'elsewhere.example', -1)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function selfSigned(folder: string, name: string, names: string): Certificate {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
  openssl(folder, ['req', '-x509', '-days', '2', ...newKey, ...files, ...subject]);
  return read(folder, name);
}

interface SignedOptions {
  /** The name of the files of the authority. Default `ca`. */
  readonly issuer?: string;
  readonly isAuthority?: boolean;
}

function signed(
  folder: string,
  name: string,
  names: string,
  days: number,
  { issuer = 'ca', isAuthority = false }: SignedOptions = {},
): Certificate {
  openssl(folder, [
    'req',
    ...newKey,
    ...['-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`],
  ]);
  writeFileSync(
    join(folder, `${name}.ext`),
    `subjectAltName=${names}\nbasicConstraints=CA:${String(isAuthority).toUpperCase()}\n`,
  );
  openssl(folder, [
    ...['x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, '-days', String(days)],
    ...['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial'],
    ...['-extfile', `${name}.ext`],
  ]);
  return read(folder, name);
}

function openssl(folder: string, args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
}

function read(folder: string, name: string): Certificate {
  const text = (ending: string): string => readFileSync(join(folder, name + ending), 'utf8');
  return { cert: text('.pem'), key: text('.key') };
}
