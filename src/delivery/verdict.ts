import type { AttemptError, Verdict } from './outcome.js';
import { isCertificateError } from '../http/certificate-errors.js';
import { ProxyError, UntrustedProxyError } from '../http/proxy/proxy-error.js';
import { privateAddressCode } from '../net/private-networks.js';

/** What a status means for the event. */
export function verdictOfStatus(status: number): Verdict {
  if (status >= 200 && status <= 299) return 'delivered';
  if (status === 408 || status === 425 || status === 429) return 'retry';
  if (status >= 500 && status <= 599) return 'retry';
  return 'failed';
}

/** The same for a URL at which these statuses are retried, too. */
export function statusVerdict(retryStatus: readonly number[] = []): StatusVerdict {
  if (retryStatus.length === 0) return verdictOfStatus;
  const retried = new Set(retryStatus);
  return (status) => (retried.has(status) ? 'retry' : verdictOfStatus(status));
}

/** Says what a status means for the event. */
export type StatusVerdict = (status: number) => Verdict;

/** Says what an error means for the event. */
export type ErrorVerdict = (error: AttemptError) => Verdict;

/** Errors that a retry does not fix are final; all others are temporary. */
export const verdictOfError: ErrorVerdict = (error) =>
  finalErrors.has(error) ? 'failed' : 'retry';

/**
 * For a service, whose operator repairs a certificate or a name server while events wait: no error of an
 * attempt is final.
 */
export const verdictOfRepairable: ErrorVerdict = () => 'retry';

const finalErrors = new Set<AttemptError>(['tls', 'gone', 'behind', 'private_address']);

/** Maps an error code of Node or OpenSSL to the reason why there was no response. */
export function nameOfError(error: unknown): AttemptError {
  if (isCertificateError(error) || error instanceof UntrustedProxyError) return 'tls';
  if (error instanceof ProxyError) return error.failure;
  const code = codeOf(error);
  if (code === privateAddressCode) return 'private_address';
  if (code === 'ETIMEDOUT') return 'timeout';
  if (refusedCodes.has(code)) return 'refused';
  if (resetCodes.has(code)) return 'reset';
  if (code === 'EMFILE' || code === 'ENFILE') return 'local_limit';
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'dns';
  return 'protocol';
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

const refusedCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);

const resetCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);
