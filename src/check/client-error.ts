import { detailOf } from '../delivery/describe-error.js';
import type { CheckSettings } from './settings.js';

/** An error of a connection in words, and its code. */
export interface ExplainedError {
  /** `ETIMEDOUT`, `ECONNRESET`, `CERT_HAS_EXPIRED`, `HPE_INVALID_CONSTANT`, … */
  readonly code: string;
  /** One sentence in lower case. */
  readonly text: string;
}

export function explainError(
  error: unknown,
  timeoutMs: number,
  { url, clientCertificate }: Pick<CheckSettings, 'url' | 'clientCertificate'>,
): ExplainedError {
  const code = codeOf(error);
  const detail = detailOf({
    error,
    timeoutMs,
    mayExpectTls: url.protocol === 'http:' && url.port === '443',
    mayRefuseCertificate: clientCertificate !== undefined,
  });
  return { code, text: detail ?? textOf(code) };
}

/** A host with several addresses fails with an error for each; the first stands for all. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  return errors?.[0] === undefined ? 'EVFWD_UNKNOWN' : codeOf(errors[0]);
}

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before a response',
  EPIPE: 'connection closed before a response',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found: the name server did not respond',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to its network',
  EADDRNOTAVAIL: 'this machine has no address of this family',
};

function textOf(code: string): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers of the response are longer than 64 KB';
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  return texts[code] ?? `the connection failed (${code})`;
}
