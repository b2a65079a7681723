import type { networkInterfaces } from 'node:os';
import { interfaceAddresses } from '../net/interface-addresses.js';
import { urlOf } from '../web/address.js';

/**
 * The URLs by which other machines may reach a server that listens on all addresses, one for each
 * address of a network interface; undefined for a host that is a single address, and where addresses are hidden.
 * Link-local addresses are left out: a URL cannot name their interface.
 */
export function reachableUrls(
  host: string,
  port: number,
  interfaces?: typeof networkInterfaces,
): string[] | undefined {
  const families = familiesOf[host];
  if (!families) return undefined;
  return interfaceAddresses(interfaces)
    ?.filter(({ internal, family, address }) => {
      return !internal && families.includes(family) && !/^fe[89ab]/i.test(address);
    })
    .map(({ address }) => urlOf(address, port));
}

/** On `::`, systems accept IPv4 as well. */
const familiesOf: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['IPv4'],
  '::': ['IPv4', 'IPv6'],
};
