import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { apiPrefix, tokenHeader } from '../inspector/api.js';

/** Why a request to the inspector is not answered. */
export interface Refusal {
  /** Stable name of the reason. */
  readonly code: 'foreign_host' | 'foreign_origin' | 'no_token';
  readonly message: string;
}

export interface GuardOptions {
  /** Of `--host`, as it was given. */
  readonly host: string;
  readonly port: () => number;
  readonly token: string;
}

/**
 * Decides who may speak to the inspector. A page of another site cannot: its Origin gives it away,
 * or the name by which it reached us (DNS rebinding), and it does not know the token.
 */
export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  refusal(request: IncomingMessage): Refusal | undefined {
    const hosts = this.#hosts(request);
    const { host = '', origin } = request.headers;
    if (!hosts.has(host.toLowerCase())) return foreignHost;
    if (origin !== undefined && !isOurs(origin, hosts)) return foreignOrigin;
    if (isApi(request) && isFromElsewhere(request)) return foreignOrigin;
    return this.#needsToken(request) && !this.#hasToken(request) ? noToken : undefined;
  }

  /** How our own address can be written, in lower case, with the port. */
  #hosts({ socket }: IncomingMessage): ReadonlySet<string> {
    const port = this.#options.port();
    // An address is no name that another site could point at us; it is the way in with --host 0.0.0.0.
    const reached = (socket.localAddress ?? '').replace(/^::ffff:/, '').replace(/%.*$/, '');
    const names = ['localhost', '127.0.0.1', '::1', this.#options.host, reached];
    const hosts = names.map((name) => (name.includes(':') ? `[${name}]` : name).toLowerCase());
    return new Set(
      hosts.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])),
    );
  }

  #needsToken({ method, url, headers }: IncomingMessage): boolean {
    const isReading = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (isReading) return false;
    const path = url!.replace(/\?.*/s, '');
    const isPowerful = path === `${apiPrefix}/replay` || path === `${apiPrefix}/faults`;
    return isPowerful || headers.origin !== undefined;
  }

  #hasToken({ headers }: IncomingMessage): boolean {
    const given = headers[tokenHeader];
    return typeof given === 'string' && isSame(given, this.#options.token);
  }
}

function isOurs(origin: string, hosts: ReadonlySet<string>): boolean {
  const [, host] = /^http:\/\/(.+)$/i.exec(origin) ?? [];
  return host !== undefined && hosts.has(host.toLowerCase());
}

function isApi({ url }: IncomingMessage): boolean {
  return url!.startsWith(apiPrefix);
}

/** Browsers tell it of requests that carry no Origin, like those of a script element. */
function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** In constant time, whatever the lengths. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

const foreignHost: Refusal = {
  code: 'foreign_host',
  message:
    'the Host header is not that of this receiver; open it by the address that it has printed',
};

const foreignOrigin: Refusal = {
  code: 'foreign_origin',
  message: 'only the page of this receiver may call its API; programs leave out the Origin header',
};

const noToken: Refusal = {
  code: 'no_token',
  message: `the header ${tokenHeader} with the token of the page is missing or wrong; reload the page`,
};
