import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate, type SecureVersion } from 'node:tls';
import { secureContext } from '../../http/tls.js';
import type { ExplainedError } from '../client-error.js';
import type { CheckSettings } from '../settings.js';
import { opened } from './connect.js';
import { hostOf, portOf } from '../../http/url.js';

/** A TLS handshake that was completed whatever the certificate is; nothing is sent over it. */
export interface Handshake {
  /** `TLSv1.3` */
  readonly version: string;
  readonly certificate: DetailedPeerCertificate;
  /** OpenSSL's last objection to the chain or its dates: `UNABLE_TO_VERIFY_LEAF_SIGNATURE`. */
  readonly objection: string | undefined;
}

/** The versions that a handshake offers. */
export type Versions = readonly [oldest: SecureVersion, newest: SecureVersion];

/** Versions that OpenSSL no longer offers by itself. */
export const outdatedVersions: Versions = ['TLSv1', 'TLSv1.1'];

export async function shakeHands(
  address: string,
  settings: CheckSettings,
  versions: Versions = ['TLSv1.2', 'TLSv1.3'],
  signal?: AbortSignal,
): Promise<Handshake | ExplainedError> {
  const { url, ca, clientCertificate } = settings;
  const host = hostOf(url);
  const socket = connect({
    host: address,
    port: portOf(url),
    ...(isIP(host) === 0 && { servername: host }),
    secureContext: secureContext(
      { ca, clientCertificate },
      {
        minVersion: versions[0],
        maxVersion: versions[1],
        ...(versions === outdatedVersions && { ciphers: 'DEFAULT@SECLEVEL=0' }),
      },
    ),
    // What is wrong with the certificate is a result here; events go over connections that verify it.
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
  try {
    const failure = await opened(socket, 'secureConnect', settings, signal);
    if (failure) return failure;
    return {
      version: socket.getProtocol() ?? '',
      certificate: socket.getPeerCertificate(true),
      // It holds a code, other than its type says.
      objection: (socket.authorizationError as unknown as string | null) ?? undefined,
    };
  } finally {
    socket.destroy();
  }
}

export function isHandshake(result: Handshake | ExplainedError): result is Handshake {
  return 'certificate' in result;
}
