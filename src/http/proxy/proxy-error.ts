import { STATUS_CODES } from 'node:http';
import { isCertificateError } from '../certificate-errors.js';

/** Why an attempt did not get beyond its proxy. */
export type ProxyFailure = 'proxy_refused' | 'proxy_auth' | 'proxy_timeout' | 'proxy_status';

/** The proxy has failed, not the server behind it. Its message is a sentence with the proxy, without credentials. */
export class ProxyError extends Error {
  constructor(
    readonly failure: ProxyFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The certificate of the proxy is not trusted, for the reason that is the cause. */
export class UntrustedProxyError extends Error {
  constructor(
    /** For display. */
    readonly proxy: string,
    override readonly cause: Error,
  ) {
    super(`the certificate of the proxy ${proxy} is not trusted`);
  }
}

/** What an error means while a tunnel through `proxy` (for display) is being opened. */
export function proxyFailure(error: Error, proxy: string): Error {
  if (error instanceof ProxyError) return error;
  if (isCertificateError(error)) return new UntrustedProxyError(proxy, error);
  const { code = '' } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code === 'ETIMEDOUT') {
    return new ProxyError('proxy_timeout', `the proxy ${proxy} did not respond in time`, options);
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const why = `the TLS handshake with the proxy ${proxy} failed; if it does not speak TLS on this port, use http://`;
    return new ProxyError('proxy_status', why, options);
  }
  const how = refusals.get(code) ?? (code.startsWith('EAI_') ? notFound : undefined);
  return how === undefined ? error : new ProxyError('proxy_refused', how(proxy), options);
}

/** The error of a response to CONNECT that makes no tunnel. @param status undefined if it is not HTTP */
export function notConnected(
  status: number | undefined,
  proxy: string,
  authority: string,
): ProxyError {
  if (status === 407) {
    const why = 'requires a user and a password, or does not accept those that it got';
    return new ProxyError('proxy_auth', `the proxy ${proxy} ${why} (HTTP 407)`);
  }
  if (status === undefined) {
    return new ProxyError('proxy_status', `the response of the proxy ${proxy} is not HTTP`);
  }
  const text = [status, STATUS_CODES[status] ?? ''].join(' ').trim();
  const why = `the proxy ${proxy} did not connect to ${authority}: HTTP ${text}`;
  return new ProxyError('proxy_status', why);
}

const refused = (proxy: string): string => `connection refused by the proxy ${proxy}`;
const closed = (proxy: string): string => `the proxy ${proxy} closed the connection`;
const unreachable = (proxy: string): string => `the proxy ${proxy} cannot be reached`;
const notFound = (proxy: string): string => `the host name of the proxy ${proxy} was not found`;

const refusals = new Map([
  ['ECONNREFUSED', refused],
  ['EACCES', refused],
  ['EPERM', refused],
  ['ECONNRESET', closed],
  ['EPIPE', closed],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['EHOSTDOWN', unreachable],
  ['ENETDOWN', unreachable],
  ['EADDRNOTAVAIL', unreachable],
  ['ENOTFOUND', notFound],
]);
