import type { IncomingMessage } from 'node:http';

/** Why a request to a page of ours, or to its API, is not answered. */
export interface Foreign {
  /** Stable name of the reason. */
  readonly code: 'foreign_host' | 'foreign_origin';
  readonly message: string;
}

export interface OwnAddress {
  /** Of `--host`, as it was given. */
  readonly host: string;
  readonly port: () => number;
}

/**
 * What gives away a request that a page of another site has made: the name by which it reached us
 * (DNS rebinding), or its Origin.
 *
 * @param isApi Whether it is one that only our own page and programs may make, and no link.
 */
export function foreignness(
  request: IncomingMessage,
  address: OwnAddress,
  isApi: boolean,
): Foreign | undefined {
  const hosts = hostsOf(request, address);
  const { host = '', origin } = request.headers;
  if (!hosts.has(host.toLowerCase())) return foreignHost;
  if (origin !== undefined && !isOurs(origin, hosts)) return foreignOrigin;
  return isApi && isFromElsewhere(request) ? foreignOrigin : undefined;
}

/** How our own address can be written, in lower case, with the port. */
function hostsOf({ socket }: IncomingMessage, address: OwnAddress): ReadonlySet<string> {
  const port = address.port();
  // An address is no name that another site could point at us; it is the way in with --host 0.0.0.0.
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

/** Browsers tell it of requests that carry no Origin, like those of a script element. */
function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

const foreignHost: Foreign = {
  code: 'foreign_host',
  message: 'the Host header is not an address of this program; open it by the one that it printed',
};

const foreignOrigin: Foreign = {
  code: 'foreign_origin',
  message: 'only the page of this program may call its API; programs leave out the Origin header',
};
