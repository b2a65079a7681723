import { checkServerIdentity, type Certificate, type DetailedPeerCertificate } from 'node:tls';
import { detailOf } from '../../delivery/describe-error.js';
import type { CheckSettings } from '../settings.js';
import { connectMs } from './connect.js';
import type { CertificateFacts } from './facts.js';
import type { Handshake } from './handshake.js';
import { hostOf } from '../../http/url.js';
import { X509Certificate } from 'node:crypto';
import { allTrusted } from '../../http/tls.js';

/** Judges chain, name and dates of a certificate, each on its own. */
export function certificateFacts(
  { certificate, objection }: Handshake,
  settings: CheckSettings,
  now = Date.now(),
): CertificateFacts {
  const isOutOfDate = objection !== undefined && dateObjections.has(objection);
  const fault = isOutOfDate ? chainFault(certificate, settings.ca) : objection;
  const untrusted = fault === undefined ? undefined : faultText(fault, certificate);
  const wrongHost = hostFault(certificate, settings.url);
  const outOfDate = dateFault(isOutOfDate ? chainOf(certificate) : [certificate], now);
  return {
    ...(untrusted !== undefined && { untrusted }),
    ...(wrongHost !== undefined && { wrongHost }),
    ...(outOfDate !== undefined && { outOfDate }),
    validTo: Date.parse(certificate.valid_to),
  };
}

const dateObjections: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

function faultText(code: string, leaf: DetailedPeerCertificate): string {
  const last = chainOf(leaf).at(-1) ?? leaf;
  switch (code) {
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `an intermediate certificate is missing: the server sends its own alone, and its issuer ${issuerOf(leaf)} is not a known root (${code})`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `the certificate is self-signed (${code})`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `the chain ends at ${issuerOf(last)}, which is not a known root (${code})`;
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the chain has a gap: ${issuerOf(last)} is neither sent by the server nor a known root (${code})`;
    default:
      return `the chain of the certificate is not valid (${code})`;
  }
}

function issuerOf({ issuer }: DetailedPeerCertificate): string {
  return nameText(issuer);
}

/** Names are what the server says: unusual ones are not repeated. */
const nameForm = /^[\p{L}\p{N} .,'&()*_-]{1,60}$/u;

function nameText({ CN, OU, O }: Certificate): string {
  const name: unknown = CN || OU || O;
  return typeof name === 'string' && nameForm.test(name) ? `"${name}"` : '(with an unusual name)';
}

function hostFault(certificate: DetailedPeerCertificate, url: URL): string | undefined {
  const error = checkServerIdentity(hostOf(url), certificate);
  const exchange = { timeoutMs: connectMs, mayExpectTls: false, mayRefuseCertificate: false };
  return error && (detailOf({ ...exchange, error }) ?? 'the certificate is not for this host');
}

function dateFault(chain: readonly DetailedPeerCertificate[], now: number): string | undefined {
  for (const [index, { subject, valid_from: from, valid_to: to }] of chain.entries()) {
    const which =
      index === 0 ? 'the certificate' : `the certificate of its issuer ${nameText(subject)}`;
    if (Date.parse(to) < now)
      return `${which} expired on ${day(to)} (${daysText(now - Date.parse(to))} ago)`;
    if (Date.parse(from) > now) return `${which} is valid from ${day(from)} on, and not yet`;
  }
  return undefined;
}

function day(text: string): string {
  return new Date(text).toISOString().slice(0, 10);
}

const dayMs = 86_400_000;

/** `12 days`, `1 day`, `5 hours`. */
export function daysText(ms: number): string {
  const [count, unit] =
    ms < dayMs ? [Math.floor(ms / 3_600_000), 'hour'] : [Math.floor(ms / dayMs), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** A certificate and those of its issuers, as far as the server sends them or this machine has them. */
function chainOf(leaf: DetailedPeerCertificate): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  // The issuer of a root is the root itself; the last one of an incomplete chain has none.
  for (
    let next = leaf as DetailedPeerCertificate | undefined;
    next;
    next = next.issuerCertificate
  ) {
    if (chain.includes(next)) break;
    chain.push(next);
  }
  return chain;
}

/**
 * What is wrong with a chain whatever its dates are, as a code of OpenSSL; undefined if it ends at a
 * trusted certificate. OpenSSL reports only its last objection, and dates come after the chain.
 */
function chainFault(leaf: DetailedPeerCertificate, ca: readonly string[]): string | undefined {
  const chain = chainOf(leaf).map(({ raw }) => new X509Certificate(raw));
  const trusted = allTrusted(ca).flatMap(certificatesIn);
  for (const [index, certificate] of chain.entries()) {
    if (index > 0 && !isIssuedBy(chain[index - 1]!, certificate)) return 'CERT_SIGNATURE_FAILURE';
    if (trusted.some((root) => isSame(root, certificate) || isIssuedBy(certificate, root))) {
      return undefined;
    }
  }
  const isSelfSigned = isIssuedBy(chain.at(-1)!, chain.at(-1)!);
  if (chain.length > 1) {
    return isSelfSigned ? 'SELF_SIGNED_CERT_IN_CHAIN' : 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY';
  }
  return isSelfSigned ? 'DEPTH_ZERO_SELF_SIGNED_CERT' : 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
}

/** A PEM text may hold several. */
function certificatesIn(pem: string): X509Certificate[] {
  const texts = pem.match(/-----BEGIN [^]*?-----END [^-]*-----/g) ?? [];
  return texts.map((text) => new X509Certificate(text));
}

function isSame(one: X509Certificate, other: X509Certificate): boolean {
  return one.fingerprint256 === other.fingerprint256;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
