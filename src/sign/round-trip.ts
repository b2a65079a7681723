import { requestSigner } from './request-signer.js';
import { requestVerifier } from './request-verifier.js';
import type { Scheme } from './schemes/scheme.js';

/**
 * Whether what a scheme writes can be read again, which depends on the texts around its parts. Tried
 * with enough signatures that every character of Base64 occurs.
 */
export function survivesRoundTrip(scheme: Scheme): boolean {
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const secrets = scheme.separator === undefined ? keys.slice(0, 1) : keys;
  const signer = requestSigner({ scheme, secrets }, scheme.name);
  // The last secret signs the last part of a list.
  const verifiers = secrets.map((secret) => requestVerifier({ scheme, secrets: [secret] }));
  return samples.every((body, index) => {
    const nowMs = 1_700_000_000_000 + index * 86_400_001;
    const request = { body, id: `msg_${index}`, nowMs, method: 'POST', url: 'https://a.example/b' };
    const headers = signer.sign(request).headers.flat();
    return verifiers.every((one) => one.verify({ ...request, headers }, nowMs).valid);
  });
}

const samples = Array.from({ length: 24 }, (_, index) => Buffer.from(`{"sample":${index}}`));
