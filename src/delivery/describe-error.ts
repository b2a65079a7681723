import type { PeerCertificate } from 'node:tls';
import { tlsPortCode } from '../http/connection-errors.js';
import { ProxyError, UntrustedProxyError } from '../http/proxy/proxy-error.js';

/** What is known of an attempt without a response. */
export interface FailedExchange {
  readonly error: unknown;
  /** The limit of the attempt. */
  readonly timeoutMs: number;
  /** Whether the URL is `http:` and has never responded. */
  readonly mayExpectTls: boolean;
  /** Whether a client certificate is sent and the URL has never responded. */
  readonly mayRefuseCertificate: boolean;
  /** Whether messages name the keys of `tls` in place of flags, as of a service. Default false. */
  readonly namesKeys?: boolean | undefined;
}

/** One sentence that says more than the name of the error; undefined if nothing more is known. */
export function detailOf(exchange: FailedExchange): string | undefined {
  const { error, timeoutMs, mayExpectTls, mayRefuseCertificate, namesKeys } = exchange;
  if (error instanceof ProxyError) return proxyDetail(error, timeoutMs);
  if (error instanceof UntrustedProxyError) {
    return `proxy ${error.proxy}: ${detailOf({ ...exchange, error: error.cause }) ?? 'certificate not trusted'}`;
  }
  const code = codeOf(error);
  if (code === 'ETIMEDOUT') return `timed out after ${limitText(timeoutMs)}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongHost(error);
  if (code === 'ECONNRESET' && mayExpectTls) {
    return 'connection closed before a response; if this port expects TLS, use https://';
  }
  // Node.js closes a connection whose client certificate it does not trust, without an alert.
  if (code === 'ECONNRESET' && mayRefuseCertificate) {
    return 'connection closed before a response; the server may not accept the client certificate';
  }
  const sentence = sentences[code];
  if (sentence === undefined) return isTlsFailure(code) ? 'the TLS handshake failed' : undefined;
  return namesKeys ? withKeys(sentence) : sentence;
}

/** Of an endpoint in a configuration file. */
function withKeys(sentence: string): string {
  return sentence
    .replace('pass it with --ca to trust it', 'set tls.ca to it, to trust it')
    .replace('pass the CA certificate with --ca', 'set tls.ca to the CA certificate')
    .replace('pass one with --cert and --key', 'set tls.cert and tls.key')
    .replace('pass another one with --cert and --key', 'set tls.cert and tls.key to another one');
}

function proxyDetail({ failure, message }: ProxyError, timeoutMs: number): string {
  return failure === 'proxy_timeout' ? `${message} (${limitText(timeoutMs)})` : message;
}

/** The certificates that a user can do something about have a sentence of their own. */
const sentences: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired; nothing was sent (renew it on the server)',
  CERT_NOT_YET_VALID:
    'the certificate is not valid yet; nothing was sent (check the clock of this machine)',
  CERT_REVOKED: 'the certificate was revoked; nothing was sent (replace it on the server)',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'the certificate is self-signed; nothing was sent (pass it with --ca to trust it)',
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer('its root is self-signed'),
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer('its issuer is unknown'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer('its issuer is unknown'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer('its issuer is unknown'),
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the server does not speak TLS on this port; use http:// or the port for https',
  [tlsPortCode]: 'the server expects TLS on this port; use https://',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificate('requires'),
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientCertificate('requires'),
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: refusedCertificate('does not know its issuer'),
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: refusedCertificate('says that it has expired'),
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: refusedCertificate('says that it was revoked'),
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: refusedCertificate('does not accept it'),
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: refusedCertificate('does not support its type'),
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: clientCertificate('may require'),
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the server does not support TLS 1.2 or newer',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the server does not support TLS 1.2 or newer',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'the server has no certificate for this host name',
};

function unknownIssuer(why: string): string {
  return `the certificate is not trusted, ${why}; nothing was sent (pass the CA certificate with --ca)`;
}

function clientCertificate(verb: string): string {
  return `TLS refused by the server: it ${verb} a client certificate; pass one with --cert and --key`;
}

function refusedCertificate(why: string): string {
  return `the server refused the client certificate: it ${why}; pass another one with --cert and --key`;
}

function isTlsFailure(code: string): boolean {
  return code === 'EPROTO' || code.startsWith('ERR_SSL_');
}

/** How many names of a certificate are shown, and how long they may be. */
const maxNames = 3;
const nameForm = /^[\w.*:-]{1,100}$/;

function wrongHost(error: unknown): string {
  const { host, cert } = error as { host?: string; cert?: Partial<PeerCertificate> };
  const names = namesOf(cert);
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const about = names.length > 0 ? `, but for ${names.slice(0, maxNames).join(', ')}${more}` : '';
  return `the certificate is not for ${host ?? 'this host'}${about}; nothing was sent (use a host name of the certificate)`;
}

/** The DNS names and addresses, else the common name; anything unusual in them is left out. */
function namesOf(certificate: Partial<PeerCertificate> = {}): string[] {
  const { subject, subjectaltname = '' } = certificate;
  const alternative = subjectaltname.split(', ').map((name) => name.replace(/^[A-Za-z ]+:/, ''));
  const names = alternative.filter((name) => nameForm.test(name));
  if (names.length > 0) return names;
  const common: unknown = subject?.CN;
  return typeof common === 'string' && nameForm.test(common) ? [common] : [];
}

/** `300 ms`, `1.5 s`. */
function limitText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  // The OpenSSL of newer releases of Node 22 and 24 has another name for the same alerts.
  return typeof code === 'string' ? code.replace('_SSL/TLS_ALERT_', '_SSLV3_ALERT_') : '';
}
