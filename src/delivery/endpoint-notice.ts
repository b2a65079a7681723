import type { DownReason } from './circuit-breaker.js';

/**
 * What responses say about a whole endpoint: it is gone for good (410), asks for a pause (`Retry-After`),
 * is considered down, or is up again. Times are in milliseconds since 1970: the end of the pause, the first
 * failure. Plain data, to be sent to other threads.
 */
export type EndpointNotice =
  | { readonly kind: 'gone' }
  | { readonly kind: 'paused'; readonly untilMs: number }
  | { readonly kind: 'down'; readonly sinceMs: number; readonly reason?: DownReason }
  | { readonly kind: 'up' };
