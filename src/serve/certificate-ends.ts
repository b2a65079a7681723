import { certificateEnd } from '../http/certificate-end.js';
import type { ClientCertificate } from '../http/tls.js';
import { withoutQuery } from '../http/url.js';
import type { Destination } from './types.js';

/** The end of a certificate is shown, and an alert, from this many days before on. */
export const certificateWarnMs = 14 * 24 * 60 * 60 * 1000;

/** Reading a certificate takes longer than all else that is shown of an endpoint. */
const known = new WeakMap<ClientCertificate, number>();

/** When the client certificates of a destination end, in milliseconds since 1970: by URL, without its query. */
export function certificateEnds({
  endpoints,
  expiredCertificate: expired,
}: Pick<Destination, 'endpoints' | 'expiredCertificate'>): ReadonlyMap<string, number> {
  if (expired) return new Map([[expired.url, expired.end]]);
  return new Map(
    endpoints.flatMap(({ url, tls }) =>
      tls?.clientCertificate ? [[withoutQuery(url), endOf(tls.clientCertificate)]] : [],
    ),
  );
}

function endOf(certificate: ClientCertificate): number {
  const end = known.get(certificate) ?? certificateEnd(certificate.cert);
  known.set(certificate, end);
  return end;
}
