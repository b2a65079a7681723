import { checkServerIdentity, type Certificate, type DetailedPeerCertificate } from 'node:tls';
import { detailOf } from '../../delivery/describe-error.js';
import type { CheckSettings } from '../settings.js';
import { chainFault, chainOf } from './chain.js';
import { connectMs } from './connect.js';
import type { CertificateFacts } from './facts.js';
import type { Handshake } from './handshake.js';
import { hostOf } from '../../http/url.js';

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
