import { inflated as inflatedWithin } from '../web/inflate.js';

/** Limit for an inflated gzip body; a few kilobytes can inflate to gigabytes. */
const maxInflatedBytes = 8 * 1024 * 1024;

/** The body, inflated if it is gzip. Undefined for gzip that is damaged or inflates to too much. */
export function inflated(body: Buffer): Buffer | undefined {
  try {
    return inflatedWithin(body, maxInflatedBytes);
  } catch {
    return undefined;
  }
}
