import { createHash, createHmac, hash, type KeyObject } from 'node:crypto';
import type { Digest, SignatureEncoding } from './schemes/scheme.js';

/** The pieces of a signed text, which are not joined unless they must be. */
export type Pieces = readonly (string | Uint8Array)[];

export type HmacDigest = Exclude<Digest, 'ed25519'>;

/** Signs one text after the other by one key. */
export type Hmac = (pieces: Pieces, encoding: SignatureEncoding) => string;

const blockBytes: Readonly<Record<HmacDigest, number>> = { sha1: 64, sha256: 64, sha512: 128 };

/** Webhook bodies are shorter; longer texts are signed by an HMAC object. */
const maxTextBytes = 64 * 1024;

/**
 * HMAC as RFC 2104 defines it, from two plain hashes; the padded keys are prepared once, when they are first
 * needed. An HMAC object per text would cost twice as much, and as much again in garbage collection.
 */
export function preparedHmac(digest: HmacDigest, key: KeyObject): Hmac {
  const block = blockBytes[digest];
  let keys: PaddedKeys | undefined;
  return (pieces, encoding) => {
    keys ??= paddedKeys(digest, key.export());
    inner ??= Buffer.alloc(blockBytes.sha512 + maxTextBytes);
    inner.set(keys.inner);
    const end = writePieces(inner, block, pieces);
    if (end === undefined) return longHmac(digest, key, pieces).digest(encoding);
    keys.outer.write(hash(digest, inner.subarray(0, end), 'binary'), block, 'latin1');
    return hash(digest, keys.outer, encoding);
  };
}

/** A padded key and a text. One for all keys, since signing is synchronous. */
let inner: Buffer | undefined;

interface PaddedKeys {
  readonly inner: Uint8Array;
  /** Followed by room for the inner digest. */
  readonly outer: Buffer;
}

/** A key longer than a block is hashed, a shorter one padded with zeros. */
function paddedKeys(digest: HmacDigest, bytes: Buffer): PaddedKeys {
  const block = blockBytes[digest];
  const key = bytes.length > block ? createHash(digest).update(bytes).digest() : bytes;
  const padded = Buffer.concat([key, Buffer.alloc(block - key.length)]);
  const digestBytes = createHash(digest).digest().length;
  return {
    inner: padded.map((byte) => byte ^ 0x36),
    outer: Buffer.concat([padded.map((byte) => byte ^ 0x5c), Buffer.alloc(digestBytes)]),
  };
}

/** The end of the pieces in a buffer; undefined if they may not fit. */
function writePieces(buffer: Buffer, start: number, pieces: Pieces): number | undefined {
  let end = start;
  for (const piece of pieces) {
    const isText = typeof piece === 'string';
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    if (end + piece.length * (isText ? 3 : 1) > buffer.length) return undefined;
    if (isText) {
      end += buffer.write(piece, end);
    } else {
      buffer.set(piece, end);
      end += piece.length;
    }
  }
  return end;
}

function longHmac(digest: HmacDigest, key: KeyObject, pieces: Pieces) {
  const hmac = createHmac(digest, key);
  for (const piece of pieces) hmac.update(piece);
  return hmac;
}
