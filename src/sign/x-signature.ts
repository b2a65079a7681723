import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUint8Array } from 'node:util/types';
import { UsageError } from '../errors.js';
import { checkHmacKeys } from './asymmetric-key.js';

/** A text is encoded as UTF-8; bytes are neither changed nor copied. */
export type Bytes = Uint8Array | string;

/**
 * The one valid form of an `X-Signature` value: 40 characters, lowercase hex.
 * @internal
 */
export const validForm = /^[0-9a-f]{40}$/;

/**
 * The value of the `X-Signature` header for a body: HMAC-SHA1 in lowercase hex, 40 characters.
 *
 * The key is the secret as UTF-8, the message the bytes of the body as they are sent. The secret
 * is used unchanged.
 *
 * @param body the whole body, in bytes or as text; may be empty
 * @param secret the shared secret, as text or as the bytes of a key
 * @returns 40 lowercase hex characters
 * @throws UsageError when the secret is empty (code `empty_secret`), when it is a key of ed25519 (`whpk_…`,
 *   `whsk_…`) or in PEM (`bad_secret`), or when body or secret is neither a string nor a Uint8Array
 *   (`not_bytes`)
 * @example
 * import { sign } from 'evfwd/sign';
 *
 * const body = JSON.stringify({ type: 'track', event: 'Order Completed' });
 * const headers = { 'X-Signature': sign(body, 'topsecret') };
 * await fetch('http://localhost:3000/hook', { method: 'POST', body, headers });
 */
export function sign(body: Bytes, secret: Bytes): string {
  return hmac(secret).update(bytesOf(body)).digest('hex');
}

/**
 * Whether a received signature is that of the body, compared in constant time.
 *
 * Pass the bytes as received, before anything parses them: JSON that was parsed and written again
 * has another signature. Only the exact form that `sign` returns is valid;
 * uppercase, a `sha1=` prefix or space around it are not.
 *
 * @param body the whole body, in bytes or as text (UTF-8)
 * @param signature the header's value; a missing, repeated or malformed one returns false
 * @param secret the shared secret, as text or as the bytes of a key
 * @throws UsageError when the secret is empty (code `empty_secret`), when it is a key of ed25519 (`whpk_…`,
 *   `whsk_…`) or in PEM (`bad_secret`), or when body or secret is neither a string nor a Uint8Array
 *   (`not_bytes`)
 * @example
 * import { createServer } from 'node:http';
 * import { buffer } from 'node:stream/consumers';
 * import { verify } from 'evfwd/sign';
 *
 * createServer(async (request, response) => {
 *   const body = await buffer(request);
 *   const isValid = verify(body, request.headers['x-signature'], 'topsecret');
 *   response.writeHead(isValid ? 200 : 401).end();
 * });
 */
export function verify(
  body: Bytes,
  signature: string | readonly string[] | null | undefined,
  secret: Bytes,
): boolean {
  const expected = hmac(secret).update(bytesOf(body)).digest();
  if (typeof signature !== 'string' || !validForm.test(signature)) return false;
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

/** With an empty secret, as an unset variable gives one, anybody could sign. */
function hmac(secret: Bytes): ReturnType<typeof createHmac> {
  if (!isBytes(secret)) {
    throw new UsageError(
      'the secret is neither a string nor bytes; pass the shared secret',
      notBytes,
    );
  }
  if (secret.length === 0) {
    throw new UsageError('the secret is empty; pass the shared secret', 'empty_secret');
  }
  checkHmacKeys([secret], '');
  return createHmac('sha1', secret);
}

const notBytes = 'not_bytes';

/** JavaScript callers may pass anything: a body that a framework has parsed, a variable that is not set. */
function bytesOf(body: Bytes): Bytes {
  if (isBytes(body)) return body;
  throw new UsageError(
    'the body is neither a string nor bytes; pass it as received, before it is parsed',
    notBytes,
  );
}

/** Not by `instanceof`: test runners have a Uint8Array of their own. */
function isBytes(value: unknown): boolean {
  return typeof value === 'string' || isUint8Array(value);
}
