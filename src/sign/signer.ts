import { createHash, hash } from 'node:crypto';
import { checkHmacKeys } from './asymmetric-key.js';
import { sign, type Bytes } from './x-signature.js';

/** Of SHA-1, in bytes. */
const blockBytes = 64;
const digestBytes = 20;
/** No webhook body is longer; longer ones are signed by `sign`. */
const maxBodyBytes = 64 * 1024;

/**
 * The same as `sign`, for many bodies and one secret: HMAC as RFC 2104 defines it, from two plain
 * hashes; the padded keys are prepared once. An HMAC object per body would cost twice as much, and as
 * much again in garbage collection.
 *
 * @throws UsageError as `sign` does, for a key of ed25519
 */
export function signer(secret: Bytes): (body: Uint8Array) => string {
  checkHmacKeys([secret], '');
  const key = keyBlock(secret);
  const innerKey = key.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([key.map((byte) => byte ^ 0x5c), Buffer.alloc(digestBytes)]);
  return (body) => {
    if (body.length > maxBodyBytes) return sign(body, secret);
    inner ??= Buffer.alloc(blockBytes + maxBodyBytes);
    inner.set(innerKey);
    inner.set(body, blockBytes);
    const digest = hash('sha1', inner.subarray(0, blockBytes + body.length), 'binary');
    outer.write(digest, blockBytes, 'latin1');
    return hash('sha1', outer, 'hex');
  };
}

/** A padded key and a body. One for all secrets, since signing is synchronous. */
let inner: Buffer | undefined;

/** A key longer than a block is hashed, a shorter one padded with zeros. */
function keyBlock(secret: Bytes): Buffer {
  const bytes = Buffer.from(secret as Uint8Array);
  const key = bytes.length > blockBytes ? createHash('sha1').update(bytes).digest() : bytes;
  return Buffer.concat([key, Buffer.alloc(blockBytes - key.length)]);
}
