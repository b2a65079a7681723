import * as tls from 'node:tls';

/** TLS options of every connection: certificates are always verified, whatever the environment says. */
export interface TlsSettings {
  readonly rejectUnauthorized: true;
  /** PEM texts of certificates to trust in addition to those that Node trusts by default. */
  readonly ca?: readonly string[] | undefined;
  /** Sent to servers that ask for a certificate of the client. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** A certificate, with its chain if it needs one, and its private key, as PEM texts. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

type Certificates = Omit<TlsSettings, 'rejectUnauthorized'>;

/** Shared by all endpoints without certificates of their own. */
let defaultContext: tls.SecureContext | undefined;

/** Certificates and versions for any number of connections. All endpoints without certificates of their own share one. */
export function secureContext(
  certificates: Certificates,
  options?: tls.SecureContextOptions,
): tls.SecureContext {
  const { ca = [], clientCertificate } = certificates;
  const isDefault = ca.length === 0 && clientCertificate === undefined && options === undefined;
  if (isDefault) return (defaultContext ??= tls.createSecureContext());
  return ownContext(certificates, options);
}

function ownContext(
  { ca = [], clientCertificate }: Certificates,
  options: tls.SecureContextOptions = {},
): tls.SecureContext {
  const all = { ...options, ...clientCertificate };
  const context = tls.createSecureContext(all);
  if (ca.length === 0) return context;
  const { addCACert } = context.context as NativeContext;
  // The option `ca` replaces Node's list, and parsing that again takes 25 ms.
  if (addCACert === undefined) return tls.createSecureContext({ ...all, ca: allTrusted(ca) });
  for (const pem of ca) addCACert.call(context.context, pem);
  return context;
}

/** Node does not document it, but it has been there since its first versions. */
interface NativeContext {
  /** Adds to Node's own list. */
  readonly addCACert?: (pem: string) => void;
}

/** Where a whole list is needed: what Node trusts by default, and `extra` (PEM texts). */
export function allTrusted(extra: readonly string[]): string[] {
  return [...trustedByNode(), ...extra];
}

/** From Node 22.15 the list can be read, including system and NODE_EXTRA_CA_CERTS. */
function trustedByNode(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] };
  return getCACertificates ? getCACertificates('default') : tls.rootCertificates;
}
