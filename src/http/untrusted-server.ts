import { Socket } from 'node:net';
import type { Clock } from '../clock.js';
import { isCertificateError } from './certificate-errors.js';
import type { Network } from './network.js';

/** With several servers behind a name, only one may have the wrong certificate: this many in a row must have it. */
const refusalsUntilKnown = 16;
const askAgainMs = 1_000;

/**
 * The same network for connections to one server. Once its certificate was not trusted many times in a row, only one
 * handshake a second is tried; all other connections fail at once with the same error. A TLS handshake takes
 * milliseconds of CPU time, which other URLs need.
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
