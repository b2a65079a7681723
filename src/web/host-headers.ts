import type { IncomingMessage } from 'node:http';

/**
 * Whether there is more than one Host header, of which Node shows the first. RFC 9112 section 3.2 demands a
 * 400, since a proxy may have gone by another one.
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}
