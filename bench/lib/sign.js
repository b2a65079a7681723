import { createHmac } from 'node:crypto';

/** `X-Signature` of a body. */
export function sign(body, secret) {
  return createHmac('sha1', secret).update(body).digest('hex');
}
