import { expect, it } from 'vitest';
import { detailOf } from '../../src/delivery/describe-error.js';

const exchange = { timeoutMs: 5_000, mayExpectTls: false, mayRefuseCertificate: false };

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls.ca'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls.ca'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls.cert and tls.key'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'tls.cert and tls.key'],
])('of %s, a service names the key %s, and no flag', (code, key) => {
  const error = Object.assign(new Error('x'), { code });
  const detail = detailOf({ ...exchange, error, namesKeys: true });
  expect(detail).toContain(`set ${key}`);
  expect(detail).not.toContain('--');
  expect(detailOf({ ...exchange, error })).toMatch(/ --c(a|ert)/);
});
