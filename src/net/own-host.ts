import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { interfaceAddresses } from './interface-addresses.js';

const loopback = ['127.0.0.1', '::1'];

/**
 * Whether a host leads to a server on this machine, whatever name it uses for it.
 *
 * @param ownHost the address or name that the server listens on
 */
export async function isOwnHost(host: string, ownHost: string): Promise<boolean> {
  const own = new Set(await ownAddresses(ownHost));
  const reached = await reachedAddresses(host);
  if (reached.some((address) => own.has(address))) return true;
  // A server on all addresses has the whole of 127.0.0.0/8.
  return isWildcard(ownHost) && reached.some((address) => address.startsWith('127.'));
}

async function ownAddresses(host: string): Promise<string[]> {
  if (!isWildcard(host)) return reachedAddresses(host);
  const all = interfaceAddresses() ?? [];
  return [...loopback, ...all.map(({ address }) => plain(address))];
}

/** Where a connection to this host goes: an unspecified address leads to this machine itself. */
async function reachedAddresses(host: string): Promise<string[]> {
  if (isWildcard(host) || isLocalName(host)) return loopback;
  if (isIP(host) !== 0) return [plain(host)];
  try {
    const found = await lookup(host, { all: true });
    return found.map(({ address }) => (isWildcard(address) ? loopback[0]! : plain(address)));
  } catch {
    // A name without an address leads nowhere; each request will say so.
    return [];
  }
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || plain(host) === '0.0.0.0' || /^[0:]+$/.test(host);
}

/** RFC 6761: all names below `localhost` are this machine. */
function isLocalName(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(host);
}

/** An IPv6 address in its shortest form, an IPv4 address in it as IPv4. */
function plain(address: string): string {
  if (isIP(address) !== 6) return address;
  const short = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short);
  if (!mapped) return short;
  const [high, low] = mapped.slice(1).map((part) => parseInt(part, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
