import type { Clock } from '../clock.js';
import { openGuard, type AddressGuard } from '../net/private-networks.js';
import { DirectConnector, type Connector } from './connector.js';
import { systemNetwork, type Network } from './network.js';
import { isNeverProxied } from './proxy/exceptions.js';
import { TunnelConnector } from './proxy/tunnel.js';
import type { TlsSettings } from './tls.js';
import { rememberingRefusals } from './untrusted-server.js';

export interface ConnectorOptions {
  readonly tls: TlsSettings;
  readonly clock: Clock;
  /** Default: that of the system. */
  readonly network?: Network | undefined;
  /** Which addresses may be connected to. Default: all. */
  readonly guard?: AddressGuard | undefined;
  /** A URL that `checkProxyUrl` accepts. Default: none. */
  readonly proxy?: string | undefined;
}

/** How the origin of a URL is connected to: itself, or through its proxy. */
export function connectorTo(url: URL, options: ConnectorOptions): Connector {
  const { tls, clock, network: given = systemNetwork, proxy } = options;
  const { guard = openGuard(given.resolve) } = options;
  const network = rememberingRefusals(given, clock);
  const used = proxyInUse(url, proxy);
  if (used === undefined) return new DirectConnector(url, tls, network, guard);
  const proxyNetwork = rememberingRefusals(given, clock);
  return new TunnelConnector({ url, proxy: used, tls, network, proxyNetwork, guard });
}

/** The proxy that a URL is reached through; undefined if it is reached without one, although `proxy` is set for it. */
export function proxyInUse(url: URL, proxy: string | undefined): string | undefined {
  return isNeverProxied(url) ? undefined : proxy;
}
