import { gunzipSync } from 'node:zlib';
import { isGzip } from '../events/gunzip.js';
import { maxInflatedBytes } from './limits.js';

/**
 * The body as its sender meant it: inflated when it is gzip (told by its first bytes), else as it
 * is. Undefined for gzip that is damaged or becomes too large.
 */
export function inflated(body: Buffer): Buffer | undefined {
  if (!isGzip(body)) return body;
  try {
    return gunzipSync(body, { maxOutputLength: maxInflatedBytes });
  } catch {
    return undefined;
  }
}
