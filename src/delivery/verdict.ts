import type { AttemptError, Verdict } from './outcome.js';
import { privateAddressCode } from '../net/private-networks.js';

/** What a status means for the event. */
export function verdictOfStatus(status: number): Verdict {
  if (status >= 200 && status <= 299) return 'delivered';
  if (status === 408 || status === 425 || status === 429) return 'retry';
  if (status >= 500 && status <= 599) return 'retry';
  return 'failed';
}

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
  const code = codeOf(error);
  if (certificateCodes.has(code)) return 'tls';
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

/** OpenSSL's codes for X.509 failures, as Node reports them, and those of Node's host name check. */
const certificateCodes = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'CERT_SIGNATURE_FAILURE',
  'CRL_SIGNATURE_FAILURE',
  'CERT_NOT_YET_VALID',
  'CERT_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_HAS_EXPIRED',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
  'INVALID_CA',
  'PATH_LENGTH_EXCEEDED',
  'INVALID_PURPOSE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'HOSTNAME_MISMATCH',
]);
