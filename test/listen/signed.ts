import { requestSigner } from '../../src/sign/request-signer.js';
import { presets } from '../../src/sign/schemes/index.js';
import type { Scheme } from '../../src/sign/schemes/scheme.js';

export interface SignedOptions {
  readonly id?: string;
  readonly nowMs?: number;
  readonly url?: string;
}

/** The headers of a body, as the sender of this scheme signs it now. */
export function signed(
  scheme: string | Scheme,
  secret: string,
  body: string,
  { id = 'msg_1', nowMs = Date.now(), url = 'http://localhost/' }: SignedOptions = {},
): Record<string, string> {
  const chosen = typeof scheme === 'string' ? presets.get(scheme)! : scheme;
  const signer = requestSigner({ scheme: chosen, secrets: [secret] }, 'the test');
  const request = { body: Buffer.from(body), id, nowMs, url, method: 'POST' };
  return Object.fromEntries(signer.sign(request).headers);
}

/** A secret in the form of Standard Webhooks. */
export const standardSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
