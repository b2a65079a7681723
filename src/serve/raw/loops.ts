import { hostOf, withoutQuery } from '../../http/url.js';
import { isOwnHost } from '../../net/own-host.js';
import type { Log } from '../log.js';
import type { Routing } from '../types.js';
import { RawPaths } from './paths.js';

/** Where this service listens. */
export interface OwnAddress {
  readonly host: string;
  readonly port: number;
}

/** Warns of each destination that sends requests to a raw source of this service from which it gets them. */
export async function warnOfLoops(
  { sources, destinations }: Routing,
  own: OwnAddress,
  log: Log,
): Promise<void> {
  const paths = new RawPaths(sources);
  if (paths.isEmpty) return;
  for (const { name, endpoints } of destinations) {
    for (const { url } of endpoints) {
      const { protocol, port, pathname } = new URL(url);
      if (protocol !== 'http:' || Number(port || 80) !== own.port) continue;
      const source = paths.find(pathname)?.source;
      if (!source?.destinations.includes(name)) continue;
      if (!(await isOwnHost(hostOf(new URL(url)), own.host))) continue;
      log.warn(
        { destination: name, url: withoutQuery(url), source: source.name },
        `this URL is a source of this service that sends to the same destination, which is a loop; set destinations.${name}.endpoints to the URL of your app`,
      );
    }
  }
}
