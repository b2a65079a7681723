import { checkUrl } from '../http/url.js';
import { UsageError } from '../errors.js';
import { checkProxyUrl } from '../http/proxy/proxy-url.js';
import { connectionHeaders, isHeaderName, isHeaderValue } from '../http/header-rules.js';
import { checkAuth } from './auth.js';
import { checkEndpointSettings } from './check-endpoint.js';
import type { Endpoint, StaticHeaders } from './endpoint.js';

export function headerPairs(headers: StaticHeaders = {}): readonly (readonly [string, string])[] {
  return Array.isArray(headers)
    ? (headers as readonly (readonly [string, string])[])
    : Object.entries(headers);
}

/** Limits of webhook destinations. */
export const maxEndpoints = 5;
export const maxHeaders = 5;

/**
 * Checks a list of endpoints. Error messages begin with `where`: `--url`, `profile "staging"`, …
 * @throws UsageError that names the endpoint by its number, and never shows a header's value.
 */
export function checkEndpoints(endpoints: readonly Endpoint[], where: string): void {
  if (!isListOfEndpoints(endpoints)) {
    throw new UsageError(`${where}: expected a list of endpoints, each an object with a url`);
  }
  if (endpoints.length < 1 || endpoints.length > maxEndpoints) {
    throw new UsageError(`${where}: expected 1 to ${maxEndpoints} URLs, not ${endpoints.length}`);
  }
  endpoints.forEach((endpoint, i) => {
    const place = endpoints.length > 1 ? `${where}, number ${i + 1}` : where;
    checkUrl(endpoint.url, place);
    if (endpoint.proxy !== undefined) checkProxyUrl(endpoint.proxy, `${place}: proxy`);
    checkHeaders(headerPairs(endpoint.headers), where);
    const names = headerPairs(endpoint.headers).map(([name]) => name);
    checkAuth(endpoint.auth, names, `${place}: auth`);
    checkEndpointSettings(endpoint, (key) => `${place}: ${key}`);
  });
}

/** JavaScript callers may pass anything. */
function isListOfEndpoints(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((one: unknown) => typeof (one as Partial<Endpoint> | null)?.url === 'string');
}

/** Headers set by evfwd or by the connection, which users cannot replace. */
const reservedHeaders = new Set([
  ...connectionHeaders,
  'content-type',
  'trailers',
  'user-agent',
  'x-signature',
]);

/** @throws UsageError that names the header; its value is never shown. */
export function checkHeaders(headers: readonly (readonly [string, string])[], where: string): void {
  if (headers.length > maxHeaders) {
    throw new UsageError(`${where}: at most ${maxHeaders} headers, not ${headers.length}`);
  }
  for (const [name, value] of headers) {
    if (!isHeaderName(name)) {
      throw new UsageError(
        `${where}: a header must be 'Name: value', with only letters, digits and dashes in its name`,
      );
    }
    if (reservedHeaders.has(name.toLowerCase())) {
      throw new UsageError(`${where}: the header ${name} is set by evfwd and cannot be replaced`);
    }
    if (!isHeaderValue(value)) {
      throw new UsageError(
        `${where}: the value of the header ${name} has characters that HTTP cannot carry (newlines, or outside Latin-1)`,
      );
    }
  }
}
