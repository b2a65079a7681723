/** Longer values are truncated; no header that helps needs more. */
const maxValueLength = 200;

/**
 * Headers that help to find the cause of a failure. A list of what is kept, since others may contain
 * what nobody should find in a log, as `set-cookie` does.
 */
const kept = new Set([
  'allow',
  'cf-ray',
  'content-encoding',
  'content-type',
  'correlation-id',
  'location',
  'proxy-status',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'request-id',
  'retry-after',
  'server',
  'traceparent',
  'via',
  'www-authenticate',
  'x-amz-cf-id',
  'x-amzn-errortype',
  'x-amzn-requestid',
  'x-amzn-trace-id',
  'x-correlation-id',
  'x-ms-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
  'x-trace-id',
  'x-vercel-id',
]);

/** Adds a header to those that are kept, if it is one of them; a repeated one is joined by a comma. */
export function keepHeader(headers: Record<string, string>, name: string, value: string): void {
  const lower = name.toLowerCase();
  if (!kept.has(lower)) return;
  const shown = lower === 'location' ? withoutSecrets(value) : value;
  const before = headers[lower];
  const joined = before === undefined ? shown : `${before}, ${shown}`;
  headers[lower] = joined.slice(0, maxValueLength);
}

/** A URL, or the path of one, without its query, fragment and credentials. */
function withoutSecrets(location: string): string {
  return location.replace(/[?#].*$/s, '').replace(/^([a-z][\w+.-]*:)?\/\/[^/]*@/i, '$1//');
}
