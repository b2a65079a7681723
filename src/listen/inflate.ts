import { inflated as inflatedWithin } from '../web/inflate.js';
import { maxInflatedBytes } from './limits.js';

/** The body inflated if it is gzip, else as it is. Undefined for gzip that is damaged or becomes too large. */
export function inflated(body: Buffer): Buffer | undefined {
  try {
    return inflatedWithin(body, maxInflatedBytes);
  } catch {
    return undefined;
  }
}
