import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { isGzip } from '../../events/gunzip.js';
import { tooLarge } from './body-reader.js';
import { maxBodyBytes } from './limits.js';
import { Refusal } from './refusal.js';

/**
 * The body as its sender meant it. Gzip is told by its first bytes, with which no JSON begins: a
 * proxy may have inflated the body and left the header, or the header may be missing.
 *
 * @param encoding `Content-Encoding`, if any
 * @throws Refusal when it becomes too large, is damaged, or is encoded in another way
 */
export function inflated(body: Buffer, encoding: string | undefined): Buffer {
  const inflate = isGzip(body) ? gunzipSync : inflaterOf(encoding, body);
  const bytes = inflate ? attempt(inflate, body) : body;
  if (bytes.length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  return bytes;
}

type Inflate = typeof gunzipSync;

function inflaterOf(encoding: string | undefined, body: Buffer): Inflate | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
    case 'gzip':
    case 'x-gzip':
      return undefined;
    case 'deflate':
      return hasZlibHeader(body) ? inflateSync : isJson(body) ? undefined : inflateRawSync;
    default:
      throw new Refusal(415, 'unknown_encoding', 'Content-Encoding is none of gzip and deflate');
  }
}

/** `deflate` means zlib, but some clients send the bare stream. */
function hasZlibHeader(body: Buffer): boolean {
  if (body.length < 2) return false;
  return (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}

function isJson(body: Buffer): boolean {
  return body[0] === 0x7b;
}

/** In one go: a body of the usual size takes less time than handing it to another thread. */
function attempt(inflate: Inflate, body: Buffer): Buffer {
  try {
    return inflate(body, { maxOutputLength: maxBodyBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(maxBodyBytes);
    }
    throw new Refusal(400, 'invalid_encoding', 'the compressed body is damaged', { cause });
  }
}
