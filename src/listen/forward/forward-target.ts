import { hostOf, portOf, withoutQuery } from '../../http/url.js';

/** Where requests are forwarded to: the URL of `--forward`, taken apart once. */
export interface ForwardTarget {
  /** For display: without its query. */
  readonly shown: string;
  readonly isTls: boolean;
  /** A name or an address, an IPv6 address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** For the Host header: with the port where it is not the usual one. */
  readonly host: string;
  /** With its query; undefined where a request keeps its own. */
  readonly path: string | undefined;
}

/** Takes a URL apart that was checked with `checkUrl`. A lone `/` is no path. */
export function forwardTarget(text: string): ForwardTarget {
  const url = new URL(text);
  const isTls = url.protocol === 'https:';
  const path = url.pathname + url.search;
  return {
    shown: withoutQuery(url),
    isTls,
    hostname: hostOf(url),
    port: portOf(url),
    host: url.host,
    path: path === '/' ? undefined : path,
  };
}
