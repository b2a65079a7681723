import { headerValues } from './received.js';

/** Of one connection, or made anew for each request: not sent on. */
const always = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header belongs to the connection that a request came on, which its Connection header may say. */
export function isHopByHop(name: string, headers: readonly string[]): boolean {
  const lower = name.toLowerCase();
  if (always.has(lower)) return true;
  return headerValues(headers, 'connection').some((value) =>
    value
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(lower),
  );
}
