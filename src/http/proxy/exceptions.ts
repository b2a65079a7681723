import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isPublicAddress } from '../../net/public-address.js';
import { hostOf, portOf } from '../url.js';

/** Whether a URL never goes through a proxy: what it names is this machine, or an address that is not public. */
export function isNeverProxied(url: URL): boolean {
  const host = plainHost(hostOf(url));
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * Whether the list of `NO_PROXY` names a URL. Its entries are separated by commas or spaces: `*` for all, a host,
 * which stands for its subdomains, too, as `.host` and `*.host` do, an IP address, or a range of these (`10.0.0.0/8`);
 * behind each but a range there may be a port.
 */
export function isInNoProxy(url: URL, list: string): boolean {
  const entries = list.split(/[,\s]+/).filter((entry) => entry !== '');
  const host = plainHost(hostOf(url));
  return entries.some((entry) => entry === '*' || isNamed(host, portOf(url), entry));
}

function isNamed(host: string, port: number, entry: string): boolean {
  if (entry.includes('/')) return isInRange(host, entry);
  const { name, port: only } = partsOf(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && isInRange(host, name);
  const domain = asciiName(name.replace(/^\*?\./, ''));
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

/** `[::1]:80`, `::1`, `example.com:80`; without brackets, an IPv6 address has no port. */
function partsOf(entry: string): { name: string; port: number | undefined } {
  if (isIP(entry) !== 0) return { name: entry, port: undefined };
  const [, name = entry, digits] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  return {
    name: name.replace(/^\[|\]$/g, ''),
    port: digits === undefined ? undefined : Number(digits),
  };
}

/** @param range `10.0.0.0/8`, or one address */
function isInRange(host: string, range: string): boolean {
  const family = isIP(host);
  const [network = '', prefix] = range.split('/');
  const bits = family === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
  if (family === 0 || isIP(network) !== family || length > bits) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(network, length, type);
  return block.check(host, type);
}

/** Without the dot of a name that is written in full. */
function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** As URLs have it: names of other scripts in Punycode. Not every entry is a name. */
function asciiName(name: string): string {
  return plainHost(domainToASCII(name) || name);
}
