import type { AttemptError, AttemptResult } from './outcome.js';

/** Stable code of an attempt that did not deliver: `status_404`, `timeout`, `tls`, … */
export function codeOfResult(result: AttemptResult): string {
  return result.error ?? `status_${String(result.status)}`;
}

/** One sentence about an attempt that did not deliver, without the URL. */
export function describeResult(result: AttemptResult): string {
  if (result.error) return errorTexts[result.error];
  const status = result.status ?? 0;
  if (status >= 300 && status <= 399) {
    return `answered ${status}, a redirect, which is never followed; give the final URL`;
  }
  if (status < 200 || status > 599) return `answered ${status}, which is no final HTTP status`;
  return `answered ${status}`;
}

const errorTexts: Record<AttemptError, string> = {
  timeout: 'no answer in time',
  refused: 'connection refused',
  reset: 'connection closed before an answer',
  dns: 'host name not found',
  protocol: 'the answer is not HTTP',
  tls: 'certificate not trusted; nothing was sent (add its issuer with --ca)',
  gone: 'answered 410 before, so it gets nothing more in this run',
};
