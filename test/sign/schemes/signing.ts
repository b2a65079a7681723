import { requestSigner, type RequestToSign } from '../../../src/sign/request-signer.js';
import {
  requestVerifier,
  type RequestVerdict,
  type VerifierOptions,
} from '../../../src/sign/request-verifier.js';
import { presets } from '../../../src/sign/schemes/index.js';
import type { Scheme, Secret } from '../../../src/sign/schemes/scheme.js';

export const nowMs = Date.parse('2026-09-01T12:00:00.250Z');

export const request: RequestToSign = {
  body: Buffer.from('{"type":"track"}'),
  id: 'm-1',
  nowMs,
  method: 'POST',
  url: 'https://example.com/hook?a=1',
};

/** A secret that every preset can read. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const newSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6ZVG8yHUM2c=';

export function preset(name: string): Scheme {
  return presets.get(name)!;
}

/** The headers of a request as Node lists them. */
export function signedBy(
  scheme: Scheme,
  secrets: readonly Secret[] = [secret],
  changes: Partial<RequestToSign> = {},
): { headers: string[]; url: string } {
  const one = { ...request, ...changes };
  const { headers, url = one.url } = requestSigner({ scheme, secrets }, '--secret').sign(one);
  return { headers: headers.flat(), url };
}

/** Judges the request with these headers. */
export function verdictOf(
  headers: readonly string[],
  options: Partial<VerifierOptions> & { at?: number; url?: string; body?: Uint8Array } = {},
): RequestVerdict {
  const { at = nowMs, url = request.url, body = request.body, ...more } = options;
  const verifier = requestVerifier({ scheme: 'auto', secrets: [secret], ...more });
  return verifier.verify({ headers, body, url }, at);
}
