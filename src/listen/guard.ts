import type { IncomingMessage } from 'node:http';
import { apiPrefix, tokenHeader } from '../api/listen.js';
import { foreignness, type Foreign, type OwnAddress } from '../web/same-origin.js';
import { isProxied } from '../web/proxied.js';
import { isSameText } from '../web/same-text.js';

/** Why a request to the inspector is refused. */
export type Refusal = Foreign | typeof proxied | typeof noToken;

export interface GuardOptions extends OwnAddress {
  readonly token: string;
}

/**
 * Decides who may call the inspector. A page of another site may not: it has another Origin or Host,
 * and it does not know the token. Nor may anyone who comes through a tunnel, which is made for deliveries.
 */
export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  refusal(request: IncomingMessage): Refusal | undefined {
    if (isProxied(request)) return proxied;
    const foreign = foreignness(request, this.#options, request.url!.startsWith(apiPrefix));
    if (foreign) return foreign;
    return needsToken(request) && !this.#hasToken(request) ? noToken : undefined;
  }

  #hasToken({ headers }: IncomingMessage): boolean {
    const given = headers[tokenHeader];
    return typeof given === 'string' && isSameText(given, this.#options.token);
  }
}

/** All requests that change something need it, however their path is spelled, except `reset` by a client that is not a browser. */
function needsToken({ method, url, headers }: IncomingMessage): boolean {
  const isReading = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (isReading) return false;
  const isReset = url!.replace(/\?.*/s, '') === `${apiPrefix}/reset`;
  return !isReset || headers.origin !== undefined;
}

const proxied = {
  code: 'proxied',
  message:
    'the request came through a proxy or tunnel, which anyone may reach; open the inspector on this machine, at the URL that listen printed',
} as const;

const noToken = {
  code: 'no_token',
  message: `the header ${tokenHeader} with the token of the page is missing or wrong; reload the page`,
} as const;
