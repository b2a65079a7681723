import type { SignatureVerdict } from '../api/listen.js';
import { verify } from '../sign/x-signature.js';
import { headerValues } from '../http/header-rules.js';
import type { IncomingRequest } from './received-request.js';

/** Checks the signature of the raw bytes; `unchecked` without a secret or a whole body. */
export function signatureVerdict(
  { headers, body, isTooLarge }: Pick<IncomingRequest, 'headers' | 'body' | 'isTooLarge'>,
  secret: string | Buffer | undefined,
): SignatureVerdict {
  if (secret === undefined || isTooLarge) return 'unchecked';
  const values = headerValues(headers, 'x-signature');
  if (values.length === 0) return 'missing';
  return values.length === 1 && verify(body, values[0], secret) ? 'valid' : 'invalid';
}
