import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Whether an IP address, as `dns.lookup` writes it, belongs to the public internet, by the IANA
 * registries of special-purpose addresses. Text that is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIPv4.check(address, 'ipv4');
  const [bare = ''] = address.split('%');
  return isIPv6(bare) && isPublicIPv6(groupsOf(bare));
}

function isPublicIPv6(groups: readonly number[]): boolean {
  if (isIsatap(groups) && specialIPv4.check(dotted(groups[6]!, groups[7]!), 'ipv4')) return false;
  const carried = carriedIPv4(groups);
  if (carried !== undefined) return !specialIPv4.check(carried, 'ipv4');
  return !specialIPv6.check(groups.map((group) => group.toString(16)).join(':'), 'ipv6');
}

/** Whether its interface identifier ends in an IPv4 address that gets the packet, RFC 5214 section 6.1. */
function isIsatap(groups: readonly number[]): boolean {
  return (groups[4] === 0 || groups[4] === 0x0200) && groups[5] === 0x5efe;
}

/** The IPv4 address that the prefix of this IPv6 address says it embeds, if there is one. */
function carriedIPv4(groups: readonly number[]): string | undefined {
  if (groups[0] === 0x2002) return dotted(groups[1]!, groups[2]!);
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  return carrying.has(prefix) ? dotted(groups[6]!, groups[7]!) : undefined;
}

/** The first 96 bits of IPv4-mapped, -translated and -compatible addresses, and of NAT64. */
const carrying = new Set(['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '0:0:0:0:0:0', '64:ff9b:0:0:0:0']);

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of a valid address; the URL parser normalizes its notation. */
function groupsOf(address: string): number[] {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [start = '', rest = ''] = text.split('::');
  const before = parsed(start);
  const after = parsed(rest);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

function parsed(groups: string): number[] {
  return groups === '' ? [] : groups.split(':').map((group) => parseInt(group, 16));
}

/** Two lists, since an IPv6 rule would also match the mapped form of an IPv4 address. */
const specialIPv4 = new BlockList();
const specialIPv6 = new BlockList();

for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  // Not in the registries: services of the machine's host in Azure.
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast; above it reserved addresses and broadcast.
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  specialIPv4.addSubnet(network, prefix, 'ipv4');
}

for (const [network, prefix] of [
  // Everything except global unicast, 2000::/3: loopback, unique-local, link-local, multicast, …
  ['0::', 3],
  ['4000::', 2],
  ['8000::', 1],
  // Special ranges of global unicast: Teredo, benchmarking, overlay identifiers, documentation.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
] as const) {
  specialIPv6.addSubnet(network, prefix, 'ipv6');
}
