import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ownScheme } from '../../../../src/config/own-scheme.js';
import type { SchemeSection } from '../../../../src/config/schema.js';
import { presets } from '../../../../src/sign/schemes/index.js';
import type { Scheme } from '../../../../src/sign/schemes/scheme.js';

/** A scheme, and the secrets with which events are signed and received. */
export interface Case {
  /** That of the scheme, with letters and digits alone. */
  readonly name: string;
  readonly scheme: Scheme;
  /** Newest first. */
  readonly secrets: readonly string[];
  /** What the receiver has, where that is something else. */
  readonly received: readonly string[];
}

/** Own schemes as users may write them in a configuration file. */
const sections: Readonly<Record<string, SchemeSection>> = {
  // As in docs/schemes.md.
  acme: {
    content: '{timestamp}.{body}',
    digest: 'sha256',
    encoding: 'hex',
    secret: { prefix: 'whsec_', encoding: 'base64' },
    header: 'X-Acme-Signature',
    value: 't={timestamp},v1={signature}',
    separator: ',',
    timestamp: { header: 'X-Acme-Time', format: 'seconds' },
    id: { header: 'X-Acme-Id' },
    tolerance: '5m',
  },
  // All placeholders, in an order of their own, and characters that languages escape.
  odd: {
    content: `{method} {url} #{id} "it's" \\ \`$x\` \${timestamp} { #z é\n{timestamp}/{body}/end`,
    digest: 'sha512',
    encoding: 'base64',
    header: 'X-Odd-Signature',
    value: `ts={timestamp}; 'sig' is "{signature}"`,
    timestamp: { format: 'ms' },
    id: { header: 'X-Odd-Id' },
    tolerance: '3m',
  },
  // The time behind the signature, RFC 3339, and a key with a prefix that is text.
  late: {
    content: '{id}|{body}|{timestamp}',
    digest: 'sha1',
    encoding: 'base64',
    secret: { prefix: 'whsec_', encoding: 'utf8' },
    header: 'X-Late',
    value: '{signature}|at={timestamp}',
    separator: '|',
    timestamp: { format: 'iso' },
    id: { header: 'X-Late-Id' },
    tolerance: '10m',
  },
  // A time and an id that are sent, and not signed.
  loose: {
    content: '{body}',
    digest: 'sha256',
    encoding: 'hex',
    header: 'X-Loose',
    value: 'v0={signature}',
    timestamp: { header: 'X-Loose-Time', format: 'ms' },
    id: { header: 'X-Loose-Id' },
  },
};

const asymmetricSection: SchemeSection = {
  content: '{timestamp}{body}',
  digest: 'ed25519',
  encoding: 'hex',
  header: 'X-Signature-Ed25519',
  timestamp: { header: 'X-Signature-Timestamp', format: 'seconds' },
  tolerance: '5m',
};

const where = (path: readonly PropertyKey[]): string => path.join('.');
const shared = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];

/** Each scheme with two shared secrets, as in a rotation. */
export const sharedCases: readonly Case[] = [
  ...presets.values(),
  ...Object.entries(sections).map(([name, section]) => ownScheme(name, section, where)),
].map((scheme) => caseOf(scheme, shared, shared));

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** Each scheme that has them, with keys of ed25519: the receiver has the public one. */
export const asymmetricCases: readonly Case[] = [
  presets.get('standard-webhooks')!,
  presets.get('svix')!,
  ownScheme('asymmetric', asymmetricSection, where),
].map((scheme) =>
  caseOf(scheme, [`whsk_${lastBytes(privateKey)}`], [`whpk_${lastBytes(publicKey)}`]),
);

function caseOf(scheme: Scheme, secrets: readonly string[], received: readonly string[]): Case {
  return { name: scheme.name.replaceAll('-', ''), scheme, secrets, received };
}

/** Of both kinds of keys, the last 32 bytes are the key itself. */
function lastBytes(key: KeyObject): string {
  const bytes = key.export({ format: 'der', type: key.type === 'private' ? 'pkcs8' : 'spki' });
  return bytes.subarray(-32).toString('base64');
}
