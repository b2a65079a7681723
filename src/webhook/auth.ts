import { UsageError } from '../errors.js';
import { checkUrl } from '../http/url.js';
import { isObject } from '../json/is-object.js';
import { headerSecrets } from '../delivery/redaction.js';
import type { EndpointAuth } from './endpoint.js';

/** The value of the header, where it is the same for all requests; undefined for OAuth2. */
export function fixedAuthorization(auth: EndpointAuth): string | undefined {
  if ('bearer' in auth) return `Bearer ${auth.bearer}`;
  if ('oauth2' in auth) return undefined;
  const { user, password } = auth.basic;
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** What stands for the value where a request is shown: the name of a variable of a shell. */
export function shownAuthorization(auth: EndpointAuth): string {
  if ('basic' in auth) return 'Basic $CREDENTIALS';
  // A token of OAuth2 is not the static one, which may well be in TOKEN.
  return 'oauth2' in auth ? 'Bearer $ACCESS_TOKEN' : 'Bearer $TOKEN';
}

/** With this proxy in front of the token endpoint, as of `OAuth2Settings`; what has no token stays as it is. */
export function withTokenProxy(
  auth: EndpointAuth,
  proxyOf: (tokenUrl: string) => string | null | undefined,
): EndpointAuth {
  if (!('oauth2' in auth)) return auth;
  const { proxy: before, ...rest } = auth.oauth2;
  const proxy = proxyOf(rest.tokenUrl);
  if (proxy === before) return auth;
  return { oauth2: { ...rest, ...(proxy !== undefined && { proxy }) } };
}

/** What a response must not show. */
export function authSecrets(auth: EndpointAuth | undefined): string[] {
  if (!auth) return [];
  const value = fixedAuthorization(auth);
  return value === undefined ? [] : headerSecrets(value);
}

/**
 * @param headerNames of the static headers beside it
 * @param place of `auth`, for messages
 * @throws UsageError that never shows a value
 */
export function checkAuth(
  auth: EndpointAuth | undefined,
  headerNames: readonly string[],
  place: string,
): void {
  if (auth === undefined) return;
  if (!isObject(auth) || Object.keys(auth).length !== 1)
    throw new UsageError(`${place} must have one of bearer, basic and oauth2`);
  if (headerNames.some((name) => name.toLowerCase() === 'authorization'))
    throw new UsageError(`${place} sets Authorization, and headers do, too; leave one of them out`);
  if ('oauth2' in auth) checkOAuth2(auth.oauth2, `${place}.oauth2`);
  else if ('basic' in auth) checkBasic(auth.basic, `${place}.basic`);
  else checkBearer(auth.bearer, `${place}.bearer`);
}

/** RFC 6750, section 2.1, with any other visible character. */
function checkBearer(token: unknown, place: string): void {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return;
  const isValue = typeof token === 'string' && /^bearer +\S/i.test(token);
  const next = isValue
    ? 'leave out the word Bearer, which is put in front of it'
    : 'visible ASCII characters, without spaces';
  throw new UsageError(`${place} must be a token: ${next}`);
}

/** RFC 7617, section 2. */
function checkBasic(basic: unknown, place: string): void {
  const { user, password } = isObject(basic) ? basic : {};
  if (typeof user !== 'string' || typeof password !== 'string')
    throw new UsageError(`${place} must have a user and a password, both text`);
  if (user.includes(':')) throw new UsageError(`${place}.user must not have a colon in it`);
}

function checkOAuth2(settings: unknown, place: string): void {
  const { tokenUrl, clientId, clientSecret, authMethod, ...rest } = isObject(settings)
    ? settings
    : {};
  for (const [key, value] of Object.entries({ tokenUrl, clientId, clientSecret })) {
    if (typeof value !== 'string' || value === '')
      throw new UsageError(`${place}.${key} is missing; it must be text`);
  }
  checkUrl(tokenUrl as string, `${place}.tokenUrl`, 'use clientId and clientSecret');
  if (authMethod !== undefined && authMethod !== 'basic' && authMethod !== 'body')
    throw new UsageError(`${place}.authMethod must be basic or body`);
  for (const key of ['scope', 'audience']) {
    if (rest[key] !== undefined && typeof rest[key] !== 'string')
      throw new UsageError(`${place}.${key} must be text`);
  }
}
