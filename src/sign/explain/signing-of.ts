import type { RequestToVerify } from '../request-verifier.js';
import type { Scheme, SignatureVersion } from '../schemes/scheme.js';
import { contentBy, otherContents, type KnownValues } from './content-hypotheses.js';
import type { LenientHeaders } from './lenient-headers.js';
import type { Signing } from './signing.js';

/**
 * How a scheme makes the HMAC of this request; undefined for a scheme whose signatures no key can be
 * tried on: ed25519, and `twilio`, which changes the body.
 */
export function signingOf(
  scheme: Scheme,
  version: SignatureVersion,
  request: RequestToVerify,
  said: LenientHeaders,
): Signing | undefined {
  const { digest, encoding, secret, item } = version;
  if (digest === 'ed25519' || scheme.special !== undefined) return undefined;
  const known = knownValues(request, said);
  return {
    header: scheme.header,
    digest,
    encoding,
    secret,
    prefix: item.split('{signature}')[0]!,
    content: contentBy(scheme.content, known),
    otherContents: [...otherContents(scheme, known)],
  };
}

function knownValues(
  { url, method = 'POST' }: RequestToVerify,
  { id, timestamp }: LenientHeaders,
): KnownValues {
  return {
    method,
    ...(url !== undefined && { url }),
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
  };
}
