import { Socket } from 'node:net';
import type { Clock } from '../clock.js';
import { isCertificateError } from './certificate-errors.js';
import type { Network } from './network.js';

/** A server behind one address of several may have the wrong certificate: so many in a row are asked. */
const refusalsUntilKnown = 16;
const askAgainMs = 1_000;

/**
 * Opens the connections to one server. One whose certificate is not trusted, many times in a row, is asked for it
 * once a second; the other connections fail at once with the same error. A TLS handshake takes milliseconds of CPU
 * time, which the other URLs of the same events need.
 */
export function rememberingRefusals(network: Network, clock: Clock): Network {
  let refusals = 0;
  let known: Error | undefined;
  let askAt = 0;

  const note = (error: Error): void => {
    refusals = isCertificateError(error) ? refusals + 1 : 0;
    known = refusals >= refusalsUntilKnown ? error : undefined;
    askAt = clock.monotonic() + askAgainMs;
  };
  const forget = (): void => {
    refusals = 0;
    known = undefined;
  };
  return {
    ...network,
    openTls(options) {
      const now = clock.monotonic();
      if (known && now < askAt) return new Socket().destroy(known);
      askAt = now + askAgainMs;
      return network.openTls(options).once('error', note).once('secureConnect', forget);
    },
  };
}
