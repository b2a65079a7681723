import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate } from 'node:tls';
import { allTrusted } from '../../http/tls.js';

/** A certificate and those of its issuers, as far as the server sends them or this machine has them. */
export function chainOf(leaf: DetailedPeerCertificate): readonly DetailedPeerCertificate[] {
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
export function chainFault(
  leaf: DetailedPeerCertificate,
  ca: readonly string[],
): string | undefined {
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
