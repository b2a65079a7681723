import type { IncomingMessage } from 'node:http';
import { serviceApiPrefix } from '../../api/serve.js';
import { isProxied } from '../../web/proxied.js';
import { foreignness, type OwnAddress } from '../../web/same-origin.js';
import { isSameText } from '../../web/same-text.js';

/** Why a call below `/_evfwd/` is denied. */
export interface Denial {
  readonly status: 401 | 403;
  /** `no_token`, `proxied`, `foreign_host`, `foreign_origin`. */
  readonly code: string;
  readonly message: string;
}

export interface AdminGuardOptions extends OwnAddress {
  /** Of `--admin-token-file`; without one the host is loopback, and foreign pages and proxies are denied. */
  readonly token: string | undefined;
}

/**
 * Decides who may operate the service.
 *
 * @param route The pattern that the router matched, since a path can be written in many ways;
 *   undefined when none matched.
 */
export function denialOf(
  request: IncomingMessage,
  route: string | undefined,
  options: AdminGuardOptions,
): Denial | undefined {
  if (forMachines.has(route)) return undefined;
  const isApi = route?.startsWith(`${serviceApiPrefix}/`) ?? true;
  if (options.token === undefined) {
    if (isProxied(request)) return proxied;
    const foreign = foreignness(request, options, isApi);
    return foreign && { status: 403, ...foreign };
  }
  // The page itself has no data, and must load to ask for the token.
  if (!isApi || route === `${serviceApiPrefix}/page`) return undefined;
  return hasToken(request, options.token) ? undefined : noToken;
}

const forMachines: ReadonlySet<string | undefined> = new Set([
  '/_evfwd/health',
  '/_evfwd/ready',
  '/_evfwd/metrics',
]);

function hasToken({ headers: { authorization = '' } }: IncomingMessage, token: string): boolean {
  const [, given] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return given !== undefined && isSameText(given, token);
}

const proxied: Denial = {
  status: 403,
  code: 'proxied',
  message:
    'the request came through a proxy, which anyone may reach; start the service with --admin-token-file',
};

const noToken: Denial = {
  status: 401,
  code: 'no_token',
  message:
    'the header Authorization: Bearer with the token of --admin-token-file is missing or wrong',
};
