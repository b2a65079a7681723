import { UsageError } from '../../errors.js';
import { connectFailure } from './connect-failure.js';
import { isReplyError, refusalOf, replyText } from './reply-error.js';
import type { ServerAddress } from './server-address.js';

/** An error while connecting for the first time, as one line with the next step. */
export function startFailure(address: ServerAddress, error: unknown): UsageError {
  return new UsageError(`${address.named}: ${problemOf(address, error)}`, 'queue_unavailable', {
    cause: error,
  });
}

/** As `startFailure`, for a server that says nothing in time. */
export function startTimedOut(address: ServerAddress, ms: number): UsageError {
  const hint = address.isTls
    ? 'check host and port; for a port without TLS use redis://'
    : 'check host and port; for a port with TLS use rediss://';
  return new UsageError(
    `${address.named}: timed out after ${ms / 1_000} s; ${hint}`,
    'queue_unavailable',
  );
}

function problemOf(address: ServerAddress, error: unknown): string {
  if (!(error instanceof Error)) return 'cannot connect';
  if (isReplyError(error)) return replyProblem(address, error);
  const { code = '' } = error as NodeJS.ErrnoException;
  return tlsProblem(code) ?? protocolProblem(address, error, code) ?? connectProblem(error);
}

function replyProblem(address: ServerAddress, error: Error): string {
  const { message } = error;
  const refusal = refusalOf(error);
  if (refusal !== undefined) return `${refusal}; start again when that is over`;
  if (message.startsWith('NOAUTH') || message.includes('no password is set')) {
    return 'requires a password; set EVFWD_QUEUE to redis://:password@host:6379/0';
  }
  if (/^WRONGPASS|invalid (?:username-)?password/.test(message)) {
    return 'the password or the user is wrong';
  }
  if (/DB index|invalid DB/i.test(message)) {
    return `has no database ${address.db}; use another number at the end of the URL`;
  }
  return `${replyText(error)}; check the rights of its user`;
}

const untrusted: readonly string[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
];

function tlsProblem(code: string): string | undefined {
  if (untrusted.includes(code)) {
    return 'its certificate is not trusted; pass the certificate of its authority with --ca or --queue-ca';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'its certificate is for another host; use a host name that the certificate has';
  }
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired; renew it';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet; check the clocks';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'does not speak TLS on this port; use redis://';
  }
  if (/ALERT.*CERTIFICATE|CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/.test(code)) {
    return `refuses the TLS connection (${code}); a server that wants client certificates is not supported`;
  }
  return /^(?:ERR_SSL|ERR_TLS|CERT_)/.test(code) ? `TLS failed (${code})` : undefined;
}

function protocolProblem(address: ServerAddress, error: Error, code: string): string | undefined {
  const isClosed = code === 'ECONNRESET' || code === 'EPIPE' || code === '';
  if (!isClosed) return undefined;
  // The words of ioredis for bytes that its parser cannot read.
  const isGarbled = /Unknown RESP type|Please report this/.test(error.message);
  const what = isGarbled ? 'its response is not from a Redis server' : 'closed the connection';
  const hint = address.isTls ? 'without TLS use redis://' : 'with TLS use rediss://';
  return `${what}; check the port; for a port ${hint}`;
}

function connectProblem(error: Error): string {
  const failure = connectFailure(error);
  if (failure === 'host not found') return 'host not found; check its name';
  return `${failure}; check that a Redis server is running there`;
}
