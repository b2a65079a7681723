import { X509Certificate } from 'node:crypto';

/** When a certificate (PEM) ends; milliseconds since 1970. */
export function certificateEnd(cert: string): number {
  return Date.parse(new X509Certificate(cert).validTo);
}
