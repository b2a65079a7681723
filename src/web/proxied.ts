import type { IncomingMessage } from 'node:http';

/**
 * Headers that proxies, tunnels and CDNs add: the standard ones (RFC 7239, RFC 9110), and those that name
 * the client, its host or its protocol, such as X-Real-IP, CF-Connecting-IP, True-Client-IP.
 */
const added =
  /^(?:forwarded|via|cdn-loop|x-forwarded(?:-.+)?|x-original-.+|x-real-.+|x-envoy-.+|(?:.+-)?(?:client|connecting|user|socket)-?ip(?:v6)?)$/;

/**
 * Whether a request shows that a proxy has passed it on. Its connection and its Host header may be those
 * of this machine, whoever has sent it. HTTP/1.0 is what nginx speaks unless it is told otherwise, and adds
 * no header; browsers and the usual clients do not speak it. A proxy that leaves no trace is not recognized.
 */
export function isProxied({
  headers,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): boolean {
  if (httpVersionMajor === 1 && httpVersionMinor === 0) return true;
  return Object.keys(headers).some((name) => added.test(name));
}
