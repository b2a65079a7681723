import * as tls from 'node:tls';

/** TLS options of every connection: certificates are always verified, whatever the environment says. */
export interface TlsSettings {
  readonly rejectUnauthorized: true;
  /** PEM texts; absent means Node's own list. */
  readonly ca?: readonly string[];
  /** Sent to servers that ask for a certificate of the client. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** A certificate, with its chain if it needs one, and its private key, as PEM texts. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Trusts `extra` (PEM texts) in addition to the certificates that Node trusts by default. */
export function tlsSettings(
  extra: readonly string[] = [],
  clientCertificate?: ClientCertificate,
): TlsSettings {
  if (extra.length === 0) return { rejectUnauthorized: true, clientCertificate };
  return { rejectUnauthorized: true, ca: [...trustedByNode(), ...extra], clientCertificate };
}

/** Setting `ca` replaces Node's list. From Node 22.15 the list can be read, including system and NODE_EXTRA_CA_CERTS. */
export function trustedByNode(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] };
  return getCACertificates ? getCACertificates('default') : tls.rootCertificates;
}
