/**
 * What one answer has told about a whole URL: it is gone for good (410), or asks for a pause
 * (`Retry-After`) until a moment in milliseconds since 1970. Plain data, to be told to other threads.
 */
export type EndpointNotice =
  { readonly kind: 'gone' } | { readonly kind: 'paused'; readonly untilMs: number };
