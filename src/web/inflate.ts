import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { isGzip } from '../sources/gunzip.js';

export type InflateProblem = 'too_large' | 'damaged' | 'unknown_encoding';

export class InflateError extends Error {
  override readonly name = 'InflateError';
  readonly problem: InflateProblem;

  constructor(problem: InflateProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/**
 * The inflated body. Gzip is detected by its magic bytes, with which no JSON begins: a proxy may
 * have inflated the body and left the header, or the header may be missing.
 *
 * @param encoding `Content-Encoding`, if any
 * @throws InflateError
 */
export function inflated(body: Buffer, maxBytes: number, encoding?: string): Buffer {
  const inflate = isGzip(body) ? gunzipSync : inflaterOf(encoding, body);
  const bytes = inflate ? attempt(inflate, body, maxBytes) : body;
  if (bytes.length > maxBytes) throw new InflateError('too_large');
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
      throw new InflateError('unknown_encoding');
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

/** Synchronous: for a body of the usual size this is faster than another thread. */
function attempt(inflate: Inflate, body: Buffer, maxBytes: number): Buffer {
  try {
    return inflate(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new InflateError(isTooLarge ? 'too_large' : 'damaged', { cause });
  }
}
