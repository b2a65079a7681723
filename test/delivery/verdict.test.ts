import { describe, expect, it } from 'vitest';
import { codeOfResult, describeResult } from '../../src/delivery/describe.js';
import type { AttemptError, AttemptResult } from '../../src/delivery/outcome.js';
import { nameOfError, verdictOfError } from '../../src/delivery/verdict.js';

describe('an error of Node or OpenSSL', () => {
  it.each<[AttemptError, readonly string[]]>([
    ['timeout', ['ETIMEDOUT']],
    ['local_limit', ['EMFILE', 'ENFILE']],
    ['refused', ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']],
    ['reset', ['ECONNRESET', 'EPIPE', 'ECONNABORTED']],
    ['dns', ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA']],
    ['protocol', ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', '']],
    [
      'tls',
      [
        'DEPTH_ZERO_SELF_SIGNED_CERT',
        'SELF_SIGNED_CERT_IN_CHAIN',
        'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
        'CERT_HAS_EXPIRED',
        'CERT_NOT_YET_VALID',
        'ERR_TLS_CERT_ALTNAME_INVALID',
      ],
    ],
  ])('is called %s', (name, codes) => {
    for (const code of codes)
      expect([code, nameOfError(Object.assign(new Error(), { code }))]).toEqual([code, name]);
  });

  it.each([undefined, null, 'text', new Error('none'), { code: 5 }])(
    'is called protocol when it is %s',
    (error) => {
      expect(nameOfError(error)).toBe('protocol');
    },
  );

  it.each<[AttemptError, string]>([
    ['timeout', 'retry'],
    ['refused', 'retry'],
    ['reset', 'retry'],
    ['dns', 'retry'],
    ['protocol', 'retry'],
    ['tls', 'failed'],
    ['gone', 'failed'],
  ])('%s means %s', (error, verdict) => {
    expect(verdictOfError(error)).toBe(verdict);
  });
});

describe('the description of an attempt', () => {
  const result = (part: Partial<AttemptResult>): AttemptResult => ({
    url: 'http://a/',
    attempt: 1,
    at: 0,
    durationMs: 1,
    status: null,
    error: null,
    verdict: 'failed',
    ...part,
  });

  it.each<[Partial<AttemptResult>, string, RegExp]>([
    [{ status: 404 }, 'status_404', /^HTTP 404 Not Found$/],
    [{ status: 503 }, 'status_503', /^HTTP 503 Service Unavailable$/],
    [
      { status: 302 },
      'status_302',
      /^HTTP 302 Found: redirects are not followed; use the final URL$/,
    ],
    [{ status: 99 }, 'status_99', /not a valid final status/],
    [{ status: 0 }, 'status_0', /^HTTP 0 is not a valid final status$/],
    [{ status: 600 }, 'status_600', /not a valid final status/],
    [{ error: 'timeout' }, 'timeout', /^timed out$/],
    [{ error: 'tls' }, 'tls', /nothing was sent.*--ca/],
    [{ error: 'dns' }, 'dns', /not found/],
    [{ error: 'gone' }, 'gone', /410/],
  ])('%j is %s, and a sentence on one line', (part, code, sentence) => {
    expect(codeOfResult(result(part))).toBe(code);
    expect(describeResult(result(part))).toMatch(sentence);
    expect(describeResult(result(part))).not.toContain('\n');
  });
});
