import { inflated as inflatedWithin } from '../web/inflate.js';
import { maxInflatedBytes } from './limits.js';

/** The body, inflated if it is gzip. Undefined for gzip that is damaged or inflates to too much. */
export function inflated(body: Buffer): Buffer | undefined {
  try {
    return inflatedWithin(body, maxInflatedBytes);
  } catch {
    return undefined;
  }
}
