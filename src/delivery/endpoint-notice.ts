/**
 * What one response says about a whole endpoint: it is gone for good (410), or asks for a pause
 * (`Retry-After`) until a time in milliseconds since 1970. Plain data, to be sent to other threads.
 */
export type EndpointNotice =
  { readonly kind: 'gone' } | { readonly kind: 'paused'; readonly untilMs: number };
