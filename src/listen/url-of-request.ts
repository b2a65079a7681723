import { headerValues } from '../http/header-rules.js';
import type { IncomingRequest } from './received-request.js';

/**
 * The URL that the sender used, as far as the request tells: a proxy in between says so in
 * `X-Forwarded-Proto` and `X-Forwarded-Host`. Undefined without a Host header.
 */
export function urlOfRequest({
  headers,
  path,
}: Pick<IncomingRequest, 'headers' | 'path'>): string | undefined {
  if (/^https?:\/\//i.test(path)) return path;
  const first = (name: string) => headerValues(headers, name)[0]?.split(',')[0]!.trim();
  const host = first('x-forwarded-host') ?? first('host');
  if (!host) return undefined;
  return `${first('x-forwarded-proto') ?? 'http'}://${host}${path}`;
}
