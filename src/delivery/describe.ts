import type { AttemptError, AttemptResult } from './outcome.js';

/** What an attempt came to, as far as a description needs it. */
type Result = Pick<AttemptResult, 'status' | 'error'>;

/** Stable code of an attempt that did not deliver: `status_404`, `timeout`, `tls`, … */
export function codeOfResult(result: Result): string {
  return result.error ?? `status_${String(result.status)}`;
}

/** One sentence about an attempt that did not deliver, without the URL. */
export function describeResult(result: Result): string {
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
  behind: 'too far behind; not sent here, for another URL took it',
  private_address:
    'a loopback or private address, which is refused without allowPrivateNetworks: true; nothing was sent',
  internal_error: 'an error of evfwd itself broke the attempt off; the log has it',
};

/** The code and the sentence of an event that was given up after so many tries at a URL. */
export function explainFailure(
  url: string,
  { attempts, ...last }: Result & { readonly attempts: number },
): { code: string; message: string } {
  const tries = attempts === 1 ? '1 try' : `${attempts} tries`;
  return { code: codeOfResult(last), message: `${url}: ${describeResult(last)} (${tries})` };
}
