import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { resolveAll, type ResolveAll } from './resolver.js';

/** What stands between a host and a connection to it. */
export interface AddressGuard {
  /** Resolves a name for `net` and `tls`; fails as soon as one of its addresses is refused. */
  readonly lookup: LookupFunction;
  /** Why a host that is an address itself, and so is not looked up, is refused. */
  refusal(host: string): Error | undefined;
}

/** The code of the error that a connection fails with. */
export const privateAddressCode = 'EPRIVATE';

/**
 * Keeps connections to addresses that are not of the public internet (loopback, private, link-local,
 * multicast, reserved, in any of the forms that carry an IPv4 address in an IPv6 one) from being made.
 *
 * A name is judged at every connection by all of its addresses, and the ones that were judged are
 * those that are connected to: neither an answer that changes (rebinding) nor one that mixes public
 * and private addresses gets through.
 */
export function privateNetworkGuard(resolve: ResolveAll = resolveAll): AddressGuard {
  return {
    lookup: lookupBy(resolve, refusalOf),
    refusal: (host) => (isIP(host) === 0 || isPublicAddress(host) ? undefined : refused()),
  };
}

/** Looks names up for connections to any address. */
export const openLookup = lookupBy(resolveAll, () => undefined);

/** @param refuse Why none of the addresses of a name is connected to. */
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
