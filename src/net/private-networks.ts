import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { resolveAll, type ResolveAll } from './resolver.js';

/** Decides which hosts may be connected to. */
export interface AddressGuard {
  /** Resolves a name for `net` and `tls`; fails if one of its addresses is refused. */
  readonly lookup: LookupFunction;
  /** The error for a host that is a refused IP address, which is never looked up. */
  refusal(host: string): Error | undefined;
}

/** The error code of a refused connection. */
export const privateAddressCode = 'EPRIVATE';

/**
 * Refuses connections to addresses outside the public internet (loopback, private, link-local,
 * multicast, reserved, the host's services in Azure, in any of the forms that carry an IPv4 address in an IPv6 one).
 *
 * All addresses of a name are checked at every connection, and the connection uses the addresses that
 * were checked. This blocks DNS rebinding and names with both public and private addresses.
 */
export function privateNetworkGuard(resolve: ResolveAll = resolveAll): AddressGuard {
  return {
    lookup: lookupBy(resolve, refusalOf),
    refusal: (host) => (isIP(host) === 0 || isPublicAddress(host) ? undefined : refused()),
  };
}

/** Permits all addresses. */
export function openGuard(resolve: ResolveAll = resolveAll): AddressGuard {
  return { lookup: lookupBy(resolve, () => undefined), refusal: () => undefined };
}

/** @param refuse Returns the error if the addresses of a name must not be connected to. */
function lookupBy(
  resolve: ResolveAll,
  refuse: (addresses: readonly LookupAddress[]) => Error | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    const family = familyOf(options.family);
    const hints = options.hints === undefined ? {} : { hints: options.hints };
    resolve(hostname, { all: true, family, ...hints }, (error, addresses = []) => {
      const failure = error ?? refuse(addresses);
      const [first] = addresses;
      if (failure || !first) callback(failure ?? notFound(hostname), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function familyOf(family: number | 'IPv4' | 'IPv6' | undefined): number {
  if (family === 'IPv4') return 4;
  return family === 'IPv6' ? 6 : (family ?? 0);
}

function refusalOf(addresses: readonly LookupAddress[]): NodeJS.ErrnoException | undefined {
  return addresses.every(({ address }) => isPublicAddress(address)) ? undefined : refused();
}

function refused(): NodeJS.ErrnoException {
  return Object.assign(new Error('private address'), { code: privateAddressCode });
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname}: no address`), { code: 'ENOTFOUND' });
}
