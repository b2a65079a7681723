import type { SigningSettings } from '../../src/sign/request-signer.js';
import { requestVerifier, type RequestVerdict } from '../../src/sign/request-verifier.js';
import { schemeNamed } from '../../src/sign/schemes/index.js';

/** One way to sign, with secrets newest first, as a list of one. */
export function signingBy(scheme: string, ...secrets: string[]): [SigningSettings] {
  return [{ scheme: schemeNamed(scheme, [], 'test'), secrets }];
}

/** A secret in the form of Standard Webhooks. */
export const standardSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A request as a server received it. */
export interface Received {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** With the query. */
  readonly path: string;
}

/** How a request is judged by a scheme, as of a time; `origin` is that of its URL. */
export function verdictOf(
  { headers, body, path }: Received,
  { scheme, secrets }: SigningSettings,
  nowMs: number,
  origin = '',
): RequestVerdict {
  const url = origin + path;
  return requestVerifier({ scheme, secrets }).verify({ headers: headers.flat(), body, url }, nowMs);
}

/** The only value of a header. */
export function headerOf({ headers }: Received, name: string): string | undefined {
  const values = headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value);
  if (values.length > 1) throw new Error(`${name} came ${values.length} times`);
  return values[0];
}
