import type { Clock } from '../clock.js';
import type { Authorization } from '../delivery/authorization.js';
import { OAuth2Token } from '../delivery/oauth2.js';
import type { OAuth2Settings } from '../delivery/oauth2-settings.js';
import { UsageError } from '../errors.js';
import { postForm, type PostFormOptions } from '../http/post-form.js';
import { fixedAuthorization } from './auth.js';
import type { Endpoint } from './endpoint.js';

interface TokenOptions extends PostFormOptions {
  readonly clock: Clock;
}

/** There is one for each clock: a process has one, and each test its own. */
const allTokens = new WeakMap<Clock, Map<string, OAuth2Token>>();

/** The token of an endpoint with OAuth2; undefined for others. */
export function authorizationOf(
  { auth, proxy, tls }: { readonly [Key in 'auth' | 'proxy' | 'tls']?: Endpoint[Key] | undefined },
  options: Omit<TokenOptions, 'proxy'>,
): Authorization | undefined {
  if (!auth || !('oauth2' in auth)) return undefined;
  const { oauth2 } = auth;
  const ca = [...(options.ca ?? []), ...(tls?.ca ?? [])];
  const own = oauth2.proxy === undefined ? proxy : (oauth2.proxy ?? undefined);
  return tokenOf(oauth2, { ...options, ca, proxy: own });
}

/**
 * Fetches the tokens of endpoints before anything is sent. One that cannot be had now is tried again by the events.
 *
 * @throws UsageError for credentials that are refused, which no retry repairs
 */
export async function fetchTokens(
  endpoints: readonly Endpoint[],
  options: Omit<TokenOptions, 'proxy'>,
): Promise<void> {
  const tokens = endpoints.flatMap((endpoint) => authorizationOf(endpoint, options) ?? []);
  const missing = tokens.filter((token) => token.line === undefined);
  const problems = await Promise.all(missing.map((token) => token.fetch()));
  const refused = problems.find((problem) => problem?.isInvalidClient);
  if (refused) throw new UsageError(refused.reason, 'invalid_client');
}

/**
 * The value of the `Authorization` of an endpoint as of now; undefined without `auth`.
 * @throws UsageError when there is no token
 */
export async function authorizationValue(
  endpoint: Endpoint,
  options: Omit<TokenOptions, 'proxy'>,
): Promise<string | undefined> {
  const token = authorizationOf(endpoint, options);
  if (!token) return endpoint.auth && fixedAuthorization(endpoint.auth);
  const problem = token.line === undefined ? await token.fetch() : undefined;
  if (problem) throw new UsageError(problem.reason, 'oauth2');
  return token.line?.slice('Authorization: '.length).trimEnd();
}

/** The token of these settings: all endpoints of the process that have the same ones share it. */
function tokenOf(settings: OAuth2Settings, options: TokenOptions): OAuth2Token {
  const { clock, ca = [], proxy, guard } = options;
  const tokens = allTokens.get(clock) ?? new Map<string, OAuth2Token>();
  allTokens.set(clock, tokens);
  const { tokenUrl, clientId, clientSecret, scope, audience, authMethod } = settings;
  const key = JSON.stringify([
    ...[tokenUrl, clientId, clientSecret, scope, audience, authMethod],
    ...[ca, proxy, guard !== undefined],
  ]);
  const known = tokens.get(key);
  if (known) return known;
  const post = (url: string, headers: Readonly<Record<string, string>>, form: string) =>
    postForm(url, headers, form, options);
  const token = new OAuth2Token({ settings, clock, post, proxy });
  tokens.set(key, token);
  return token;
}
