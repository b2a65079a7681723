import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** What stands between a host and a connection to it. */
export interface AddressGuard {
  /** Resolves a name for `net` and `tls`; fails as soon as one of its addresses is refused. */
  readonly lookup: LookupFunction;
  /** Why a host that is an address itself, and so is not looked up, is refused. */
  refusal(host: string): Error | undefined;
}

/** Finds all addresses of a name, as `dns.lookup` with `all` does: with an error, it gives none. */
export type ResolveAll = (
  hostname: string,
  options: { readonly all: true; readonly family?: number; readonly hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void,
) => void;

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
export function privateNetworkGuard(resolveAll: ResolveAll = resolve): AddressGuard {
  return {
    lookup(hostname, options, callback) {
      const family = familyOf(options.family);
      const hints = options.hints === undefined ? {} : { hints: options.hints };
      resolveAll(hostname, { all: true, family, ...hints }, (error, addresses = []) => {
        const failure = error ?? refusalOf(addresses);
        const [first] = addresses;
        if (failure || !first) callback(failure ?? notFound(hostname), '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    },
    refusal: (host) => (isIP(host) === 0 || isPublicAddress(host) ? undefined : refused()),
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
