import { STATUS_CODES } from 'node:http';
import type { AttemptError, AttemptResult } from './outcome.js';

/** The part of a result that its description needs. */
type Result = Pick<AttemptResult, 'status' | 'error' | 'detail'>;

/** Stable code of an attempt that did not deliver: `status_404`, `timeout`, `tls`, … */
export function codeOfResult(result: Result): string {
  return result.error ?? `status_${String(result.status)}`;
}

/** One sentence about an attempt, without the URL. */
export function describeResult(result: Result): string {
  if (result.error) return result.detail ?? errorTexts[result.error];
  const status = result.status ?? 0;
  if (status >= 300 && status <= 399) {
    return `${statusText(status)}: redirects are not followed; use the final URL`;
  }
  if (status < 200 || status > 599) return `HTTP ${status} is not a valid final status`;
  return statusText(status);
}

/** `HTTP 404 Not Found`. */
function statusText(status: number): string {
  const reason = STATUS_CODES[status];
  return reason === undefined ? `HTTP ${status}` : `HTTP ${status} ${reason}`;
}

const errorTexts: Record<AttemptError, string> = {
  timeout: 'timed out',
  refused: 'connection refused',
  reset: 'connection closed before a response',
  dns: 'host name not found',
  protocol: 'the response is not HTTP',
  tls: 'certificate not trusted; nothing was sent (add its issuer with --ca)',
  oauth2: 'there is no token; nothing was sent',
  gone: 'skipped: this URL returned 410 Gone earlier in this run',
  behind: 'skipped: this URL is too far behind, and another URL accepted the event',
  private_address:
    'loopback and private addresses are refused without allowPrivateNetworks: true; nothing was sent',
  local_limit:
    'this process has no file descriptor left for a connection; raise its limit (ulimit -n, LimitNOFILE)',
  proxy_refused: 'the proxy refused or closed the connection, or was not found',
  proxy_auth: 'the proxy requires a user and a password (HTTP 407)',
  proxy_timeout: 'the proxy did not respond in time',
  proxy_status: 'the proxy did not connect to the server',
  internal_error: 'an internal error of evfwd ended the attempt; see the log',
};

/** Code and message of an event that was not delivered after `attempts` attempts at a URL. */
export function explainFailure(
  url: string,
  { attempts, ...last }: Result & { readonly attempts: number },
): { code: string; message: string } {
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return { code: codeOfResult(last), message: `${url}: ${describeResult(last)} (${count})` };
}
