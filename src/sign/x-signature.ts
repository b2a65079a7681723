import { createHmac, timingSafeEqual } from 'node:crypto';

/** A text is encoded as UTF-8; bytes are neither changed nor copied. */
export type Bytes = Uint8Array | string;

/** The one valid form of an `X-Signature` value: 40 characters, lowercase hex. */
const validForm = /^[0-9a-f]{40}$/;

/**
 * The value of the `X-Signature` header for a body: HMAC-SHA1 in lowercase hex, 40 characters.
 *
 * The key is the secret as UTF-8, the message the bytes of the body as they are sent. The secret
 * is used unchanged, so check that it is not empty.
 *
 * @param body the whole body, in bytes or as text; may be empty
 * @param secret the shared secret, as text or as the bytes of a key
 * @returns 40 lowercase hex characters
 * @throws TypeError when body or secret is neither a string nor a Uint8Array
 * @example
 * const body = JSON.stringify({ type: 'track', event: 'Order Completed' });
 * await fetch(url, { method: 'POST', body, headers: { 'X-Signature': sign(body, secret) } });
 */
export function sign(body: Bytes, secret: Bytes): string {
  return createHmac('sha1', secret).update(body).digest('hex');
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
 * @throws TypeError when body or secret is neither a string nor a Uint8Array
 * @example
 * if (!verify(rawBody, request.headers['x-signature'], secret)) response.writeHead(401).end();
 */
export function verify(
  body: Bytes,
  signature: string | readonly string[] | undefined,
  secret: Bytes,
): boolean {
  const expected = digest(body, secret);
  return typeof signature === 'string' && matches(expected, signature);
}

/** The signature of a body as its 20 bytes. */
export function digest(body: Bytes, secret: Bytes): Buffer {
  return createHmac('sha1', secret).update(body).digest();
}

/** The same for a body that arrives in pieces and need not fit in memory. */
export async function digestOfStream(
  chunks: AsyncIterable<Uint8Array>,
  secret: Bytes,
): Promise<Buffer> {
  const hmac = createHmac('sha1', secret);
  for await (const chunk of chunks) hmac.update(chunk);
  return hmac.digest();
}

/** Whether a text is the exact form of a digest of 20 bytes, in constant time. */
export function matches(expected: Buffer, signature: string): boolean {
  return validForm.test(signature) && timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
