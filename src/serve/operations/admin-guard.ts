import type { IncomingMessage } from 'node:http';
import { serviceApiPrefix } from '../../inspector/service-api.js';
import { foreignness, type OwnAddress } from '../../web/same-origin.js';
import { isSameText } from '../../web/same-text.js';

/** Why a call below `/_evfwd/` is not answered. */
export interface Denial {
  readonly status: 401 | 403;
  /** `no_token`, `foreign_host`, `foreign_origin`. */
  readonly code: string;
  readonly message: string;
}

export interface AdminGuardOptions extends OwnAddress {
  /** Of `--admin-token-file`; without one only loopback can be reached, and pages of others are kept out. */
  readonly token: string | undefined;
}

/** Decides who may operate the service. */
export function denialOf(request: IncomingMessage, options: AdminGuardOptions): Denial | undefined {
  const path = request.url!.replace(/\?.*/s, '').replace(/\/{2,}/g, '/');
  if (forMachines.has(path.replace(/\/$/, ''))) return undefined;
  const isApi = path.startsWith(serviceApiPrefix);
  if (options.token === undefined) {
    const foreign = foreignness(request, options, isApi);
    return foreign && { status: 403, ...foreign };
  }
  // The page itself holds nothing, and has to be there to ask for the token.
  if (!isApi || path === `${serviceApiPrefix}/page`) return undefined;
  return hasToken(request, options.token) ? undefined : noToken;
}

const forMachines: ReadonlySet<string> = new Set([
  '/_evfwd/health',
  '/_evfwd/ready',
  '/_evfwd/metrics',
]);

function hasToken({ headers: { authorization = '' } }: IncomingMessage, token: string): boolean {
  const [, given] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return given !== undefined && isSameText(given, token);
}

const noToken: Denial = {
  status: 401,
  code: 'no_token',
  message:
    'the header Authorization: Bearer with the token of --admin-token-file is missing or wrong',
};
