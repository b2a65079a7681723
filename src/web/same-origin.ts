import type { IncomingMessage } from 'node:http';
import { hasSeveralHosts } from './host-headers.js';

/** Why a request to one of our pages, or its API, is denied. */
export interface Foreign {
  /** Stable name of the reason. */
  readonly code: 'foreign_host' | 'foreign_origin';
  readonly message: string;
}

export interface OwnAddress {
  /** The value of `--host`. */
  readonly host: string;
  readonly port: () => number;
}

/**
 * Detects requests made by pages of other sites: by the host name (DNS rebinding), or by the Origin.
 *
 * @param isApi Whether only our own page and programs may make it; links may not.
 */
export function foreignness(
  request: IncomingMessage,
  address: OwnAddress,
  isApi: boolean,
): Foreign | undefined {
  const hosts = hostsOf(request, address);
  const { host = '', origin } = request.headers;
  if (hasSeveralHosts(request) || !hosts.has(host.toLowerCase())) return foreignHost;
  if (origin !== undefined && !isOurs(origin, hosts)) return foreignOrigin;
  return isApi && isFromElsewhere(request) ? foreignOrigin : undefined;
}

/** All spellings of our own address, in lower case, with the port. */
function hostsOf({ socket }: IncomingMessage, address: OwnAddress): ReadonlySet<string> {
  const port = address.port();
  // Other sites cannot forge an IP address by DNS; with --host 0.0.0.0 it is how clients reach us.
  const reached = (socket.localAddress ?? '').replace(/^::ffff:/, '').replace(/%.*$/, '');
  const names = ['localhost', '127.0.0.1', '::1', address.host, reached];
  const hosts = names.map((name) => (name.includes(':') ? `[${name}]` : name).toLowerCase());
  return new Set(
    hosts.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])),
  );
}

function isOurs(origin: string, hosts: ReadonlySet<string>): boolean {
  const [, host] = /^http:\/\/(.+)$/i.exec(origin) ?? [];
  return host !== undefined && hosts.has(host.toLowerCase());
}

/** Browsers send it for requests without an Origin, such as those of a script element. */
function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

const foreignHost: Foreign = {
  code: 'foreign_host',
  message: 'the Host header is not an address of this program; use the URL that it printed',
};

const foreignOrigin: Foreign = {
  code: 'foreign_origin',
  message: 'only the page of this program may call its API; programs must omit the Origin header',
};
